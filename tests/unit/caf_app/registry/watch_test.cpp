#define CAF_SUITE watch
#include "caf_app/registry/watch.hpp"

#include <memory>
#include <string>
#include <vector>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/asking.hpp"
#include "support/actor_fixture.hpp"

using namespace std::chrono_literals;
using caf_app::app_actor;
using caf_app::down;
using caf_app::errc;

namespace {

caf::behavior idle(app_actor*) {
  return {[](caf::tick_atom) {}};
}

/// Gets the ends of what it watches, in order.
using downs = std::shared_ptr<std::vector<down>>;

struct fixture : actor_fixture {
  downs seen = std::make_shared<std::vector<down>>();
  caf::actor target = sys.spawn(idle);
  caf::actor watcher = sys.spawn([out = seen](app_actor*) -> caf::behavior {
    return {[out](const down& x) { out->push_back(x); }};
  });

  fixture() { consume_messages(); }

  /// The watcher, for calls from outside while nobody runs it.
  app_actor& testee() {
    auto& result = deref<app_actor>(watcher);
    result.context(nullptr);
    return result;
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(watch_tests, fixture)

  CAF_TEST(the end of a watched actor arrives once with its reason) {
    const auto ref = testee().watch(target);
    consume_messages();
    CAF_CHECK(seen->empty());
    end(target, caf::make_error(errc::denied, std::string{"text"}));
    CAF_REQUIRE_EQUAL(seen->size(), 1u);
    CAF_CHECK_EQUAL(seen->front().ref, ref);
    CAF_CHECK_EQUAL(seen->front().reason, errc::denied);
    CAF_CHECK_EQUAL(caf_app::describe(seen->front().reason), "permission denied: text");
    CAF_CHECK_EQUAL(testee().watch_count(), 0u);
  }

  CAF_TEST(an actor that ended already is reported with noproc) {
    end(target, caf::exit_reason::kill);
    const auto ref = testee().watch(target);
    const auto null_ref = testee().watch(caf::actor{});
    CAF_CHECK(seen->empty());
    consume_messages();
    CAF_REQUIRE_EQUAL(seen->size(), 2u);
    CAF_CHECK_EQUAL((*seen)[0].ref, ref);
    CAF_CHECK_EQUAL((*seen)[0].reason, errc::noproc);
    CAF_CHECK_EQUAL((*seen)[1].ref, null_ref);
    CAF_CHECK_EQUAL((*seen)[1].reason, errc::noproc);
  }

  CAF_TEST(every watch of one target has its own end) {
    std::vector<uint64_t> refs;
    for (int i = 0; i < 5; ++i)
      refs.push_back(testee().watch(target));
    testee().unwatch(refs[1]);
    testee().unwatch(refs[4]);
    end(target, caf::exit_reason::user_shutdown);
    std::vector<uint64_t> got;
    for (const auto& x : *seen)
      got.push_back(x.ref);
    CAF_CHECK_EQUAL(got, (std::vector{refs[0], refs[2], refs[3]}));
  }

  CAF_TEST(nothing arrives after unwatch even if the end is queued) {
    const auto ref = testee().watch(target);
    caf::anon_send_exit(target, caf::exit_reason::kill);
    CAF_CHECK(sched.prioritize(target));
    sched.run_once(); // its down_msg is in the mailbox of the watcher now
    CAF_CHECK(!is_alive(target));
    testee().unwatch(ref);
    consume_messages();
    CAF_CHECK(seen->empty());
  }

  CAF_TEST(nothing arrives after unwatch of an actor that had ended) {
    end(target, caf::exit_reason::kill);
    testee().unwatch(testee().watch(target));
    consume_messages();
    CAF_CHECK(seen->empty());
  }

  CAF_TEST(a watch that follows a taken back one is told once) {
    testee().unwatch(testee().watch(target));
    const auto ref = testee().watch(target);
    end(target, caf::exit_reason::kill);
    CAF_REQUIRE_EQUAL(seen->size(), 1u);
    CAF_CHECK_EQUAL(seen->front().ref, ref);
  }

  CAF_TEST(a watch between the end and its news is told once) {
    const auto before = testee().watch(target);
    caf::anon_send_exit(target, caf::exit_reason::kill);
    CAF_CHECK(sched.prioritize(target));
    sched.run_once();
    const auto after = testee().watch(target);
    consume_messages();
    CAF_REQUIRE_EQUAL(seen->size(), 2u);
    CAF_CHECK_EQUAL((*seen)[0].ref, before);
    CAF_CHECK_EQUAL((*seen)[0].reason, caf::exit_reason::kill);
    CAF_CHECK_EQUAL((*seen)[1].ref, after);
    CAF_CHECK_EQUAL((*seen)[1].reason, errc::noproc);
  }

  CAF_TEST(a function gets the end instead of the behavior) {
    auto reasons = std::make_shared<std::vector<caf::error>>();
    testee().watch(target, [reasons](const down& x) { reasons->push_back(x.reason); });
    end(target, caf::exit_reason::kill);
    CAF_REQUIRE_EQUAL(reasons->size(), 1u);
    CAF_CHECK_EQUAL(reasons->front(), caf::exit_reason::kill);
    CAF_CHECK(seen->empty());
  }

  CAF_TEST(a function may take the other watches back) {
    auto other = std::make_shared<uint64_t>(0);
    auto count = std::make_shared<int>(0);
    auto* watcher_ptr = &testee();
    watcher_ptr->watch(target, [=](const down&) {
      ++*count;
      watcher_ptr->unwatch(*other);
    });
    *other = watcher_ptr->watch(target, [=](const down&) { ++*count; });
    end(target, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(*count, 1);
  }

  CAF_TEST(the monitors of CAF still work beside watch) {
    auto* watcher_ptr = &testee();
    auto count = std::make_shared<int>(0);
    watcher_ptr->set_down_handler([count](caf::down_msg&) { ++*count; });
    watcher_ptr->watch(target);
    auto other = sys.spawn(idle);
    watcher_ptr->monitor(other);
    end(other, caf::exit_reason::kill);
    end(target, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(*count, 1);
    CAF_CHECK_EQUAL(seen->size(), 1u);
  }

  CAF_TEST(a message that pretends to be an end changes nothing) {
    const auto ref = testee().watch(target);
    self->send(watcher, down{ref, caf::exit_reason::kill}); // to the behavior, as any message
    consume_messages();
    CAF_CHECK_EQUAL(testee().watch_count(), 1u);
    end(target, caf::exit_reason::user_shutdown);
    CAF_CHECK_EQUAL(seen->back().reason, caf::exit_reason::user_shutdown);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
