#define CAF_SUITE app
#include "caf_app/app.hpp"

#include <signal.h>

#include <caf/all.hpp>

#include <caf/test/unit_test.hpp>

#include "caf_app/registry/asking.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

caf::behavior idle_actor(app_actor*) {
  return {[](caf::ok_atom) {}};
}

app_options quiet() {
  block_signals(); // before the first thread
  app_options result;
  result.log = make_silent_logger();
  result.books = std::make_shared<metrics>();
  return result;
}

child_spec child(std::string id,
                 std::function<caf::expected<caf::actor>(const start_context&)> start) {
  child_spec result;
  result.id = std::move(id);
  result.start = std::move(start);
  return result;
}

struct fixture {
  shutdown_phase phase(std::string name, std::chrono::milliseconds timeout,
                       std::function<bool()> done) {
    return {name, timeout, [this, name] { begun += name + " "; }, std::move(done)};
  }

  app testee{quiet()};
  std::string begun;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(app_tests, fixture)

  CAF_TEST(phases run one after the other and the process ends well) {
    int asked = 0;
    testee.start({});
    testee.add_phase(phase("first", 10s, [&] {
      CAF_CHECK_EQUAL(begun, "first ");
      return ++asked == 3;
    }));
    testee.add_phase(phase("second", 10s, nullptr));
    testee.add_phase({"third", 10s, nullptr, [&] { return begun == "first second "; }});
    testee.stop();
    CAF_CHECK(testee.stopping());
    CAF_CHECK_EQUAL(testee.run(), 0);
    CAF_CHECK_EQUAL(begun, "first second ");
    CAF_CHECK_EQUAL(asked, 3);
  }

  CAF_TEST(a phase that takes too long does not hold up the next) {
    testee.start({});
    testee.add_phase(phase("endless", 1ms, [] { return false; }));
    testee.add_phase(phase("next", 10s, [] { return true; }));
    testee.stop();
    CAF_CHECK_EQUAL(testee.run(), 0);
    CAF_CHECK_EQUAL(begun, "endless next ");
  }

  CAF_TEST(actors live through the phases and are gone afterwards) {
    bool ended = false;
    bool lived = false;
    testee.start({child("it", [&](const start_context& start) -> caf::expected<caf::actor> {
      const auto actor = start.system.spawn(idle_actor);
      actor->attach_functor([&ended](const caf::error&) { ended = true; });
      return actor;
    })});
    testee.add_phase({"look", 10s, nullptr, [&] {
                        const auto entry = testee.tree()->find("root/it");
                        lived = entry && entry->state == tree_state::running;
                        return lived;
                      }});
    testee.stop();
    CAF_CHECK_EQUAL(testee.run(), 0);
    CAF_CHECK(lived);
    CAF_CHECK(ended);
  }

  CAF_TEST(a root supervisor that gives up is a failure and skips the phases) {
    testee.add_phase(phase("never", 10s, nullptr));
    testee.start({child("bad", [](const start_context&) -> caf::expected<caf::actor> {
      return caf::make_error(errc::start_failed);
    })});
    CAF_CHECK_EQUAL(testee.run(), 1);
    CAF_CHECK_EQUAL(begun, "");
  }

  CAF_TEST(SIGHUP reloads and SIGTERM ends) {
    testee.start({});
    int reloads = 0;
    testee.on_reload([&] {
      ++reloads;
      ::pthread_kill(::pthread_self(), SIGTERM);
    });
    ::pthread_kill(::pthread_self(), SIGHUP);
    CAF_CHECK_EQUAL(testee.run(), 0);
    CAF_CHECK_EQUAL(reloads, 1);
  }

  CAF_TEST(what cannot be written is an error and no signal) {
    for (const auto number : {SIGPIPE, SIGXFSZ}) {
      struct sigaction now {};
      CAF_REQUIRE_EQUAL(::sigaction(number, nullptr, &now), 0);
      CAF_CHECK(now.sa_handler == SIG_IGN);
    }
  }

  CAF_TEST(loops have their place in the tree and their metrics) {
    testee.start({});
    testee.add_phase({"look", 10s, nullptr, [&] {
                        const auto loop = testee.tree()->find("root/loops/loop-0");
                        return loop && loop->state == tree_state::running &&
                               testee.books()->exposition().find("loop=\"0\"") != std::string::npos;
                      }});
    testee.add_phase({"check", 1ms,
                      [&] {
                        CAF_CHECK(testee.tree()->find("root/loops/loop-0").has_value());
                        CAF_CHECK(testee.books()->exposition().find("loop=\"0\"") !=
                                  std::string::npos);
                      },
                      nullptr});
    testee.stop();
    CAF_CHECK_EQUAL(testee.run(), 0);
  }

  CAF_TEST(an app that never ran is taken apart as well) {
    testee.start({child("it", [](const start_context& start) -> caf::expected<caf::actor> {
      return start.system.spawn(idle_actor);
    })});
  }

  CAF_TEST_FIXTURE_SCOPE_END()
