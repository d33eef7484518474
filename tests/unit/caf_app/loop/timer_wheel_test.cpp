#define CAF_SUITE timer_wheel
#include "caf_app/loop/timer_wheel.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;
using caf_app::timer_wheel;
using caf_app::wheel_timer;
using time_point = timer_wheel::clock::time_point;

namespace {

const time_point start{1h}; // any origin will do
constexpr auto turn = timer_wheel::tick * timer_wheel::slots;

time_point tick_number(int64_t n) { return start + n * timer_wheel::tick; }

/// A timer that counts how often it ran.
struct counted {
  int runs = 0;
  wheel_timer timer{[this] { ++runs; }};
};

/// The same contract by a list that is searched in full.
struct model {
  std::vector<std::optional<int64_t>> due; // tick per timer
  int64_t current = 0;

  void arm(size_t i, time_point t) {
    const auto whole = t <= start ? 0 : (t - start + timer_wheel::tick - 1ns) / timer_wheel::tick;
    due[i] = std::max<int64_t>(whole, current + 1);
  }

  std::vector<size_t> advance(time_point now) {
    current = std::max<int64_t>(current, (now - start) / timer_wheel::tick);
    std::vector<size_t> result;
    for (size_t i = 0; i < due.size(); ++i)
      if (due[i] && *due[i] <= current)
        result.push_back(i);
    for (auto i : result)
      due[i].reset();
    return result;
  }
};

} // namespace

CAF_TEST(deadlines are rounded up to whole ticks) {
  timer_wheel wheel{start};
  counted exact, above;
  wheel.arm(exact.timer, tick_number(3));
  wheel.arm(above.timer, tick_number(3) + 1ns);
  wheel.advance(tick_number(3) - 1ns);
  CAF_CHECK_EQUAL(exact.runs, 0);
  wheel.advance(tick_number(3));
  CAF_CHECK_EQUAL(exact.runs, 1);
  CAF_CHECK_EQUAL(above.runs, 0);
  wheel.advance(tick_number(4));
  CAF_CHECK_EQUAL(above.runs, 1);
}

CAF_TEST(rounded tells when a timer runs) {
  timer_wheel wheel{start};
  wheel.advance(tick_number(5));
  CAF_CHECK(wheel.rounded(tick_number(7)) == tick_number(7));
  CAF_CHECK(wheel.rounded(tick_number(7) + 1ns) == tick_number(8));
  CAF_CHECK(wheel.rounded(tick_number(2)) == tick_number(6));
}

CAF_TEST(a deadline in the past is due at the next tick) {
  timer_wheel wheel{start};
  wheel.advance(tick_number(100));
  counted late;
  wheel.arm(late.timer, start - 1h);
  wheel.advance(tick_number(100) + timer_wheel::tick - 1ns);
  CAF_CHECK_EQUAL(late.runs, 0);
  wheel.advance(tick_number(101));
  CAF_CHECK_EQUAL(late.runs, 1);
}

CAF_TEST(the end of time is never due) {
  timer_wheel wheel{start};
  counted never;
  wheel.arm(never.timer, start + 1s);
  wheel.arm(never.timer, time_point::max());
  CAF_CHECK(!never.timer.armed());
  CAF_CHECK(wheel.next_wakeup() == time_point::max());
  wheel.advance(start + 24h);
  CAF_CHECK_EQUAL(never.runs, 0);
}

CAF_TEST(timers further than one turn wait for their turn) {
  timer_wheel wheel{start};
  counted near, far;
  wheel.arm(near.timer, tick_number(7));
  wheel.arm(far.timer, tick_number(7) + 3 * turn);
  for (auto now = start; now < tick_number(7) + 3 * turn; now += timer_wheel::tick)
    wheel.advance(now);
  CAF_CHECK_EQUAL(near.runs, 1);
  CAF_CHECK_EQUAL(far.runs, 0);
  wheel.advance(tick_number(7) + 3 * turn);
  CAF_CHECK_EQUAL(far.runs, 1);
}

CAF_TEST(a cancelled timer does not run) {
  timer_wheel wheel{start};
  counted one, other;
  wheel.arm(one.timer, tick_number(1));
  wheel.arm(other.timer, tick_number(1));
  one.timer.cancel();
  one.timer.cancel();
  CAF_CHECK(!one.timer.armed());
  CAF_CHECK(other.timer.armed());
  wheel.advance(tick_number(1));
  CAF_CHECK_EQUAL(one.runs, 0);
  CAF_CHECK_EQUAL(other.runs, 1);
  CAF_CHECK(!other.timer.armed());
}

CAF_TEST(a destroyed timer does not run) {
  timer_wheel wheel{start};
  counted stays;
  auto goes = std::make_unique<counted>();
  wheel.arm(goes->timer, tick_number(2));
  wheel.arm(stays.timer, tick_number(2));
  goes.reset();
  wheel.advance(tick_number(2));
  CAF_CHECK_EQUAL(stays.runs, 1);
}

CAF_TEST(timers run in the order of their ticks) {
  timer_wheel wheel{start};
  std::vector<int> order;
  wheel_timer third{[&] { order.push_back(3); }};
  wheel_timer first{[&] { order.push_back(1); }};
  wheel_timer second{[&] { order.push_back(2); }};
  wheel.arm(third, tick_number(400));
  wheel.arm(first, tick_number(20));
  wheel.arm(second, tick_number(21));
  wheel.advance(tick_number(401));
  CAF_CHECK_EQUAL(order, std::vector<int>({1, 2, 3}));
}

CAF_TEST(a callback may cancel and destroy others that are due at the same tick) {
  timer_wheel wheel{start};
  counted cancelled;
  auto destroyed = std::make_unique<counted>();
  wheel_timer first{[&] {
    cancelled.timer.cancel();
    destroyed.reset();
  }};
  wheel.arm(first, tick_number(1));
  wheel.arm(cancelled.timer, tick_number(1));
  wheel.arm(destroyed->timer, tick_number(1));
  wheel.advance(tick_number(1));
  CAF_CHECK_EQUAL(cancelled.runs, 0);
  CAF_CHECK(!destroyed);
}

CAF_TEST(a callback may arm itself and others) {
  timer_wheel wheel{start};
  int ticks = 0;
  counted other;
  std::optional<wheel_timer> periodic;
  periodic.emplace([&] {
    if (++ticks < 5)
      wheel.arm(*periodic, tick_number(1 + ticks));
    wheel.arm(other.timer, tick_number(1 + ticks)); // moves it, so it runs once
  });
  wheel.arm(*periodic, tick_number(1));
  for (int i = 1; i <= 10; ++i)
    wheel.advance(tick_number(i));
  CAF_CHECK_EQUAL(ticks, 5);
  CAF_CHECK(!periodic->armed());
  CAF_CHECK(other.runs >= 1);
  CAF_CHECK(!other.timer.armed());
}

CAF_TEST(a timer moved by another one of its tick runs at its new time only) {
  timer_wheel wheel{start};
  counted moved;
  wheel_timer first{[&] { wheel.arm(moved.timer, tick_number(9)); }};
  wheel.arm(first, tick_number(1));
  wheel.arm(moved.timer, tick_number(1));
  wheel.advance(tick_number(8));
  CAF_CHECK_EQUAL(moved.runs, 0);
  wheel.advance(tick_number(9));
  CAF_CHECK_EQUAL(moved.runs, 1);
}

CAF_TEST(a callback that cancels itself has no effect on others) {
  timer_wheel wheel{start};
  counted other;
  std::optional<wheel_timer> self;
  self.emplace([&] { self->cancel(); });
  wheel.arm(*self, tick_number(1));
  wheel.arm(other.timer, tick_number(1));
  wheel.advance(tick_number(1));
  CAF_CHECK_EQUAL(other.runs, 1);
}

CAF_TEST(after a long pause everything due has run once) {
  timer_wheel wheel{start};
  std::vector<std::unique_ptr<counted>> timers;
  for (int i = 0; i < 2000; ++i) {
    timers.push_back(std::make_unique<counted>());
    wheel.arm(timers.back()->timer, tick_number(i));
  }
  counted later;
  wheel.arm(later.timer, start + 100 * turn + 1s);
  wheel.advance(start + 100 * turn);
  CAF_CHECK(std::all_of(timers.begin(), timers.end(), [](auto& t) { return t->runs == 1; }));
  CAF_CHECK_EQUAL(later.runs, 0);
  wheel.advance(start + 100 * turn + 1s);
  CAF_CHECK_EQUAL(later.runs, 1);
}

CAF_TEST(next_wakeup is the tick of the earliest slot in use) {
  timer_wheel wheel{start};
  CAF_CHECK(wheel.next_wakeup() == time_point::max());
  counted one, other;
  wheel.arm(one.timer, tick_number(300));
  CAF_CHECK(wheel.next_wakeup() == tick_number(300));
  wheel.arm(other.timer, tick_number(64));
  CAF_CHECK(wheel.next_wakeup() == tick_number(64));
  other.timer.cancel();
  CAF_CHECK(wheel.next_wakeup() == tick_number(300));
  one.timer.cancel();
  CAF_CHECK(wheel.next_wakeup() == time_point::max());
}

CAF_TEST(next_wakeup is right wherever the hand and the slot are) {
  time_point last;
  for (int64_t hand = 0; hand < 1100; hand += 7) {
    timer_wheel wheel{start};
    wheel.advance(tick_number(hand));
    for (int64_t ahead = 1; ahead <= static_cast<int64_t>(timer_wheel::slots); ++ahead) {
      counted timer;
      wheel.arm(timer.timer, tick_number(hand + ahead));
      if (wheel.next_wakeup() != tick_number(hand + ahead))
        CAF_FAIL("hand " << hand << " ahead " << ahead);
      last = wheel.next_wakeup();
    }
  }
  CAF_CHECK(last == tick_number(1099 + 512)); // 1099: the last hand
}

CAF_TEST(waking up only when told misses nothing) {
  timer_wheel wheel{start};
  counted far;
  wheel.arm(far.timer, tick_number(1234));
  size_t wakeups = 0;
  while (far.timer.armed()) {
    const auto now = wheel.next_wakeup();
    CAF_REQUIRE(now <= tick_number(1234));
    wheel.advance(now);
    CAF_REQUIRE(++wakeups <= 3); // once per turn
  }
  CAF_CHECK_EQUAL(far.runs, 1);
}

CAF_TEST(arming cancelling and advancing at random agrees with a slow model) {
  std::mt19937 random{test_seed()};
  constexpr size_t count = 40;
  std::vector<int> runs(count, 0);
  std::vector<std::unique_ptr<wheel_timer>> timers;
  for (size_t i = 0; i < count; ++i)
    timers.push_back(std::make_unique<wheel_timer>([&runs, i] { ++runs[i]; }));
  timer_wheel wheel{start};
  model slow{std::vector<std::optional<int64_t>>(count)};
  auto now = start;
  for (int step = 0; step < 20'000; ++step) {
    const auto i = random() % count;
    switch (random() % 8) {
      case 0: timers[i]->cancel(), slow.due[i].reset(); break;
      case 1: now += std::chrono::milliseconds{random() % 20'000}; [[fallthrough]];
      case 2:
      case 3: {
        now += std::chrono::microseconds{random() % 50'000};
        wheel.advance(now);
        for (auto k : slow.advance(now))
          --runs[k];
        if (!std::all_of(runs.begin(), runs.end(), [](int n) { return n == 0; }))
          CAF_FAIL("other timers ran in step " << step);
        break;
      }
      default: {
        const auto due = now + std::chrono::microseconds{random() % 12'000'000} - 1s;
        wheel.arm(*timers[i], due);
        slow.arm(i, due);
      }
    }
    if (timers[i]->armed() != slow.due[i].has_value())
      CAF_FAIL("armed differs in step " << step);
    std::optional<int64_t> earliest; // of the slots, not of the timers
    for (const auto& tick : slow.due)
      if (tick)
        earliest = std::min(earliest.value_or(INT64_MAX),
                            slow.current + 1 + (*tick - slow.current - 1) % 512);
    if (wheel.next_wakeup() != (earliest ? tick_number(*earliest) : time_point::max()))
      CAF_FAIL("next_wakeup differs in step " << step);
  }
  CAF_CHECK_EQUAL(slow.current, (now - start) / timer_wheel::tick); // it got that far
}
