#define CAF_SUITE scheduler
#include "caf_app/loop/scheduler.hpp"

#include <string>
#include <vector>

#include <caf/all.hpp>
#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using namespace caf_app;

namespace {

/// Writes down what it is told.
class recording_clock final : public caf::detail::thread_safe_actor_clock {
public:
  void set_ordinary_timeout(time_point, caf::abstract_actor*, caf::atom_value, uint64_t) override {
    told.emplace_back("set");
  }
  void set_multi_timeout(time_point, caf::abstract_actor*, caf::atom_value, uint64_t) override {
    told.emplace_back("set");
  }
  void set_request_timeout(time_point, caf::abstract_actor*, caf::message_id) override {
    told.emplace_back("set");
  }
  void cancel_ordinary_timeout(caf::abstract_actor*, caf::atom_value) override {
    told.emplace_back("cancel one");
  }
  void cancel_request_timeout(caf::abstract_actor*, caf::message_id) override {
    told.emplace_back("cancel one");
  }
  void cancel_timeouts(caf::abstract_actor*) override { told.emplace_back("end"); }

  std::vector<std::string> told;
};

struct config : caf::actor_system_config {
  config() { load_scheduler(*this, 2); }
};

struct fixture {
  caf::abstract_actor* behind(const caf::actor& x) {
    return caf::actor_cast<caf::abstract_actor*>(x);
  }

  caf::actor_clock::time_point later = caf::actor_clock::time_point{} + 1h;
  config cfg;
  caf::actor_system sys{cfg};
  recording_clock target;
  quiet_clock clock{target};
};

using lines = std::vector<std::string>;

} // namespace

CAF_TEST_FIXTURE_SCOPE(scheduler_tests, fixture)

  CAF_TEST(the end of an actor without timeouts is not told) {
    const auto one = sys.spawn([]() -> caf::behavior { return {[](int) {}}; });
    clock.cancel_timeouts(behind(one));
    CAF_CHECK_EQUAL(target.told, lines{});
    caf::anon_send_exit(one, caf::exit_reason::kill);
  }

  CAF_TEST(the end of an actor with a timeout of any kind is told once) {
    const auto one = sys.spawn([]() -> caf::behavior { return {[](int) {}}; });
    for (int kind = 0; kind < 3; ++kind) {
      target.told.clear();
      if (kind == 0)
        clock.set_ordinary_timeout(later, behind(one), caf::atom("x"), 1);
      else if (kind == 1)
        clock.set_multi_timeout(later, behind(one), caf::atom("x"), 1);
      else
        clock.set_request_timeout(later, behind(one), caf::make_message_id(1));
      clock.cancel_timeouts(behind(one));
      clock.cancel_timeouts(behind(one));
      CAF_CHECK_EQUAL(target.told, (lines{"set", "end"}));
    }
    caf::anon_send_exit(one, caf::exit_reason::kill);
  }

  CAF_TEST(cancelling one timeout is told) {
    const auto one = sys.spawn([]() -> caf::behavior { return {[](int) {}}; });
    clock.cancel_ordinary_timeout(behind(one), caf::atom("x"));
    clock.cancel_request_timeout(behind(one), caf::make_message_id(1));
    CAF_CHECK_EQUAL(target.told, (lines{"cancel one", "cancel one"}));
    caf::anon_send_exit(one, caf::exit_reason::kill);
  }

  CAF_TEST(a system with it has the workers asked for and all kinds of time) {
    CAF_CHECK_EQUAL(sys.scheduler().num_workers(), 2u);
    caf::scoped_actor self{sys};
    const auto silent = sys.spawn([](caf::event_based_actor* me) -> caf::behavior {
      return {[me](int) { return me->make_response_promise(); }};
    });
    self->request(silent, 1ms, 1)
        .receive([](int) { CAF_FAIL("an answer"); },
                 [](const caf::error& why) { CAF_CHECK_EQUAL(why, caf::sec::request_timeout); });
    self->delayed_send(self, 1ms, 2);
    self->receive([](int x) { CAF_CHECK_EQUAL(x, 2); });
    const auto waiting = sys.spawn([](caf::event_based_actor* me) -> caf::behavior {
      return {[](int) {}, caf::after(1ms) >> [me] { me->quit(); }};
    });
    self->wait_for(waiting);
    caf::anon_send_exit(silent, caf::exit_reason::kill);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
