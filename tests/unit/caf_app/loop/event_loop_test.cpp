#define CAF_SUITE event_loop
#include "caf_app/loop/event_loop.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::test;

CAF_TEST_FIXTURE_SCOPE(event_loop_tests, loop_fixture)

  CAF_TEST(posted work runs on the thread of the loop) {
    CAF_CHECK(!loop.on_this_thread());
    CAF_CHECK(on_loop(loop, [&] { return loop.on_this_thread(); }));
    CAF_CHECK_EQUAL(on_loop(loop, [] { return static_cast<int>(::gettid()); }), loop.tid());
  }

  CAF_TEST(work posted on the loop runs after its poster) {
    std::promise<bool> inner_was_late;
    loop.post([&] {
      auto outer_ended = std::make_shared<bool>(false);
      loop.post([&, outer_ended] { inner_was_late.set_value(*outer_ended); });
      *outer_ended = true;
    });
    CAF_CHECK(value_of(inner_was_late.get_future()));
  }

  CAF_TEST(work from many threads runs once and in the order of each) {
    constexpr int threads = 8, posts = 5'000;
    std::vector<std::vector<int>> seen(threads); // touched on the loop only
    {
      std::vector<std::jthread> posters;
      for (int t = 0; t < threads; ++t)
        posters.emplace_back([&, t] {
          for (int i = 0; i < posts; ++i)
            loop.post([&, t, i] { seen[static_cast<size_t>(t)].push_back(i); });
        });
    }
    on_loop(loop, [] {}); // behind all of them
    for (const auto& numbers : seen) {
      CAF_REQUIRE_EQUAL(numbers.size(), static_cast<size_t>(posts));
      CAF_CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    }
  }

  CAF_TEST(no wake up is lost when the loop falls asleep between single posts) {
    constexpr int count = 10'000;
    int ran = 0;
    for (int i = 0; i < count; ++i) // each post meets a loop that is about to sleep
      on_loop(loop, [&] { ++ran; });
    CAF_CHECK_EQUAL(ran, count);
  }

  CAF_TEST(two loops that post to each other finish) {
    event_loop other{sys, {1, {}}};
    constexpr int rounds = 50'000;
    std::promise<void> done;
    std::function<void(int)> ping = [&](int left) {
      if (left == 0)
        done.set_value();
      else
        (left % 2 ? loop : other).post([&ping, left] { ping(left - 1); });
    };
    loop.post([&] { ping(rounds); });
    value_of(done.get_future());
  }

CAF_TEST(work that posts itself for ever starves neither sockets nor timers nor other threads) {
  std::atomic<bool> stop{false};
  std::function<void()> again = [&] {
    if (!stop)
      loop.post([&] { again(); });
  };
  on_loop(loop, [&] { again(); });
  auto link = unix_pair();
  recording_owner owner;
  owner.open(loop, std::move(link.ours)); // goes through the inbox
  link.peer.send("hello");
  owner.log.wait([](const stream_log& x) { return x.received == "hello"; });
  std::promise<void> due;
  wheel_timer timer{[&] { due.set_value(); }};
  on_loop(loop, [&] { loop.timers().arm(timer, loop.now() + 30ms); });
  value_of(due.get_future());
  CAF_CHECK(loop.stats().running_for < 10s); // of one pass, not of all of them
  stop = true;
  owner.close(loop);
}

CAF_TEST(timers are never early) {
  using clock = event_loop::clock;
  std::promise<clock::duration> late;
  clock::time_point due;
  wheel_timer timer{[&] { late.set_value(clock::now() - due); }};
  on_loop(loop, [&] { loop.timers().arm(timer, due = loop.now() + 25ms); });
  CAF_CHECK(value_of(late.get_future()) >= 0ns);
}

CAF_TEST(a deadline earlier than the armed one wakes the loop in time) {
  std::vector<int> order; // touched on the loop only
  std::promise<void> both;
  wheel_timer second{[&] {
    order.push_back(2);
    both.set_value();
  }};
  wheel_timer first{[&] { order.push_back(1); }};
  on_loop(loop, [&] { loop.timers().arm(second, loop.now() + 300ms); });
  on_loop(loop, [&] { loop.timers().arm(first, loop.now() + 20ms); });
  value_of(both.get_future());
  CAF_CHECK_EQUAL(order, std::vector<int>({1, 2}));
}

CAF_TEST(an idle loop sleeps) {
  std::promise<uint64_t> passes;
  uint64_t before = 0;
  wheel_timer timer{[&] { passes.set_value(loop.stats().passes - before); }};
  on_loop(loop, [&] {
    before = loop.stats().passes;
    loop.timers().arm(timer, loop.now() + 1s);
  });
  // The heartbeat that the post has started, the end of the nap, a spare one.
  CAF_CHECK(value_of(passes.get_future()) <= 5);
}

CAF_TEST(a pass that blocks is seen from outside while it lasts and as lag later) {
  std::promise<void> go_on;
  auto blocked = go_on.get_future().share();
  std::promise<void> entered;
  loop.take_lag_max();
  loop.post([&] {
    entered.set_value();
    blocked.wait();
  });
  value_of(entered.get_future());
  while (loop.stats().running_for < 250ms) // more than a heartbeat, so one of them is late
    std::this_thread::yield();
  go_on.set_value();
  std::promise<std::chrono::nanoseconds> lag;
  std::optional<wheel_timer> look;
  on_loop(loop, [&] {
    look.emplace([&] { lag.set_value(loop.take_lag_max()); });
    loop.timers().arm(*look, loop.now() + 200ms);
  });
  CAF_CHECK(value_of(lag.get_future()) >= 100ms);
  CAF_CHECK(loop.stats().lag_recent >= 100ms);
  CAF_CHECK(loop.stats().lag_max < 100ms);
  on_loop(loop, [&] { look.reset(); });
}

CAF_TEST(a loop that looks for what it expects before it sleeps misses nothing) {
  for (const auto what : {expectation::answer, expectation::request}) {
    constexpr int count = 5'000; // now it looks, now it sleeps, now it is about to
    int ran = 0;
    for (int i = 0; i < count; ++i)
      on_loop(loop, [&] {
        loop.expect_soon(what);
        ++ran;
      });
    CAF_CHECK_EQUAL(ran, count);
  }
  CAF_MESSAGE("bytes and deadlines");
  auto link = unix_pair();
  recording_owner owner;
  owner.open(loop, std::move(link.ours));
  for (size_t i = 1; i <= 500; ++i) {
    on_loop(loop, [&] { loop.expect_soon(expectation::answer); });
    link.peer.send("x");
    owner.log.wait([i](const stream_log& x) { return x.received.size() == i; });
  }
  loop.post([&] { owner.close_now(); });
  std::promise<void> due;
  wheel_timer timer{[&] { due.set_value(); }};
  on_loop(loop, [&] {
    loop.timers().arm(timer, loop.now() + 20ms);
    loop.expect_soon(expectation::answer);
  });
  value_of(due.get_future());
}

CAF_TEST(a loop that looks for what does not come ends) {
  event_loop other{sys, {1, {}}};
  on_loop(other, [&] { other.expect_soon(expectation::answer); });
}

CAF_TEST(waiting and running add up) {
  const auto waited = loop.stats().waited;
  std::promise<void> due;
  wheel_timer timer{[&] { due.set_value(); }};
  on_loop(loop, [&] { loop.timers().arm(timer, loop.now() + 100ms); });
  value_of(due.get_future());
  CAF_CHECK(loop.stats().waited - waited >= 50ms);
}

CAF_TEST(the destructor runs what was posted before it) {
  std::atomic<int> ran{0};
  {
    event_loop other{sys, {1, {}}};
    for (int i = 0; i < 1'000; ++i)
      other.post([&] {
        ++ran;
        other.post([&] { ++ran; });
      });
  }
  CAF_CHECK_EQUAL(ran.load(), 2'000);
}

CAF_TEST(a stopping loop still works until its last socket has gone) {
  auto link = unix_pair();
  recording_owner owner;
  std::optional<event_loop> other;
  other.emplace(sys, event_loop::options{1, {}});
  auto& still = *other;
  owner.open(still, std::move(link.ours));
  std::promise<void> gone;
  std::jthread ends{[&] {
    other.reset();
    gone.set_value();
  }};
  link.peer.send("one");
  owner.log.wait([](const stream_log& x) { return x.received == "one"; });
  CAF_CHECK_EQUAL(on_loop(still, [&] { return still.stats().sockets; }), 1u);
  link.peer.send("two");
  owner.log.wait([](const stream_log& x) { return x.received == "onetwo"; });
  still.post([&] { owner.close_now(); });
  value_of(gone.get_future());
  CAF_CHECK_EQUAL(link.peer.wait_for_end(), 0);
}

CAF_TEST(loops give all their descriptors back) {
  const auto before = open_descriptors();
  for (size_t i = 0; i < 50; ++i)
    event_loop{sys, {i, {}}};
  CAF_CHECK_EQUAL(open_descriptors(), before);
}

CAF_TEST(a loop may be pinned to a core) {
  event_loop pinned{sys, {1, 0}};
  CAF_CHECK_EQUAL(on_loop(pinned, [] { return ::sched_getcpu(); }), 0);
  CAF_CHECK_EQUAL(pinned.index(), 1u);
}

CAF_TEST_FIXTURE_SCOPE_END()
