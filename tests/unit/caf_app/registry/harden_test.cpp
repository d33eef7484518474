#define CAF_SUITE harden
#include "caf_app/registry/harden.hpp"

#include <stdexcept>

#include "caf_app/base/error.hpp"
#include "support/actor_fixture.hpp"

using namespace std::chrono_literals;
using caf_app::errc;

namespace {

caf::behavior hardened(caf::event_based_actor* self) {
  caf_app::harden(self);
  return {
      [](caf::tick_atom) {},
      [](int) -> int { throw std::runtime_error("on purpose"); },
  };
}

struct fixture : actor_fixture {
  caf::actor testee = sys.spawn(hardened);
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(harden_tests, fixture)

  CAF_TEST(a message without a handler is counted and never answered) {
    self->send(testee, std::string{"what"});
    consume_messages();
    CAF_CHECK_EQUAL(hooks().unhandled_messages.value(), 1u);
    CAF_CHECK(!self->has_next_message());
    CAF_CHECK(is_alive(testee));
  }

  CAF_TEST(a request without a handler is answered with an error that names the types) {
    auto reply = self->request(testee, 1s, std::string{"secret"}, 1.5);
    consume_messages();
    reply.receive([] { CAF_FAIL("it was handled"); },
                  [](const caf::error& err) {
                    CAF_CHECK_EQUAL(err, errc::unhandled_message);
                    const auto text = caf_app::describe(err);
                    CAF_CHECK(text.find("double") != std::string::npos);
                    CAF_CHECK(text.find("secret") == std::string::npos);
                  });
  }

  CAF_TEST(an error message ends nobody) {
    self->send(testee, caf::make_error(errc::denied));
    consume_messages();
    CAF_CHECK_EQUAL(hooks().errors_received.value(), 1u);
    CAF_CHECK(is_alive(testee));
  }

  CAF_TEST(an exception ends the actor with handler_failed and its text) {
    self->monitor(testee);
    auto reply = self->request(testee, 1s, 1);
    consume_messages();
    reply.receive([](int) { CAF_FAIL("it answered"); },
                  [](const caf::error& err) { CAF_CHECK_EQUAL(err, errc::handler_failed); });
    self->receive([](const caf::down_msg& x) {
      CAF_CHECK_EQUAL(x.reason, errc::handler_failed);
      CAF_CHECK(caf_app::describe(x.reason).find("on purpose") != std::string::npos);
    });
    CAF_CHECK_EQUAL(hooks().handler_failures.value(), 1u);
  }

  CAF_TEST(what is counted is reported to the log of the system) {
    std::vector<std::string> lines;
    hooks().report = [&](const caf::local_actor&, const std::string& what) {
      lines.push_back(what);
    };
    self->send(testee, 3.5);
    consume_messages();
    CAF_REQUIRE_EQUAL(lines.size(), 1u);
    CAF_CHECK_EQUAL(lines[0], "no handler for (double)");
  }

  CAF_TEST_FIXTURE_SCOPE_END()

  CAF_TEST(a system without hooks counts nothing) {
    caf::actor_system_config cfg;
    cfg.set("scheduler.policy", caf::atom("testing"));
    caf::actor_system sys{cfg};
    CAF_CHECK(caf_app::hooks_of(sys) == nullptr);
  }
