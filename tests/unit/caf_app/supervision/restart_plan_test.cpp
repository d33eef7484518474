#define CAF_SUITE restart_plan
#include "caf_app/supervision/restart_plan.hpp"

#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <caf/exit_reason.hpp>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/seed.hpp"

using namespace std::chrono_literals;
using namespace caf_app;

namespace {

using key = restart_plan::child_key;
using kind = restart_plan::action_kind;
using state = restart_plan::child_state;

const restart_plan::time_point start{1h};

const caf::error normal;
const caf::error shutdown_reason{caf::exit_reason::user_shutdown};
const caf::error crash = caf::make_error(errc::handler_failed);

restart_options with(restart_strategy strategy, size_t intensity = 1000) {
  restart_options result;
  result.strategy = strategy;
  result.intensity = intensity;
  result.backoff.first = 0ms; // restarts at once
  return result;
}

/// Executes actions at once: starts succeed, stops end with user_shutdown. Writes down what
/// happened:
/// "+1" started, "-2" stopped, "!" finished.
struct driver {
  explicit driver(restart_options options) : plan(options) {}

  void run() {
    while (auto action = plan.next(now)) {
      switch (action->kind) {
        case kind::start:
          if (fail_starts.count(action->child)) {
            log += " x" + std::to_string(action->child);
            plan.start_failed(action->child, crash, now);
          } else {
            log += " +" + std::to_string(action->child);
            plan.started(action->child, now);
          }
          break;
        case kind::stop:
          log += " -" + std::to_string(action->child);
          if (!hang)
            plan.ended(action->child, shutdown_reason, now);
          break;
        case kind::finish:
          log += " !";
          reason = action->reason;
          break;
      }
    }
  }

  /// @returns what happened since the last call
  std::string take() {
    auto result = log.empty() ? log : log.substr(1);
    log.clear();
    return result;
  }

  std::string ended(key child, const caf::error& why) {
    plan.ended(child, why, now);
    run();
    return take();
  }

  restart_plan plan;
  restart_plan::time_point now = start;
  std::set<key> fail_starts;
  bool hang = false; // stops take until ended() is called by hand
  std::string log;
  caf::error reason;
};

} // namespace

CAF_TEST(children start in order and stop in reverse) {
  driver testee{with(restart_strategy::one_for_one)};
  for (int i = 0; i < 3; ++i)
    testee.plan.add(restart_type::permanent, false, start);
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "+1 +2 +3");
  testee.plan.shut_down(shutdown_reason);
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "-3 -2 -1 !");
  CAF_CHECK_EQUAL(testee.reason, shutdown_reason);
}

CAF_TEST(each stop waits for the one before) {
  driver testee{with(restart_strategy::one_for_one)};
  testee.plan.add(restart_type::permanent, false, start);
  testee.plan.add(restart_type::permanent, false, start);
  testee.run();
  testee.take();
  testee.hang = true;
  testee.plan.shut_down(shutdown_reason);
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "-2");
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "");
  CAF_CHECK_EQUAL(testee.ended(2, shutdown_reason), "-1");
  CAF_CHECK_EQUAL(testee.ended(1, crash), "!");
}

CAF_TEST(strategy and restart type and exit reason decide together) {
  // The second of three children ends; its type varies, the others are permanent.
  struct row {
    restart_type restart;
    const caf::error& reason;
    bool again;
  };
  const row rows[] = {
      {restart_type::permanent, normal, true},
      {restart_type::permanent, shutdown_reason, true},
      {restart_type::permanent, crash, true},
      {restart_type::transient, normal, false},
      {restart_type::transient, shutdown_reason, false},
      {restart_type::transient, crash, true},
      {restart_type::temporary, normal, false},
      {restart_type::temporary, shutdown_reason, false},
      {restart_type::temporary, crash, false},
  };
  const std::pair<restart_strategy, const char*> strategies[] = {
      {restart_strategy::one_for_one, "+2"},
      {restart_strategy::one_for_all, "-3 -1 +1 +2 +3"},
      {restart_strategy::rest_for_one, "-3 +2 +3"},
  };
  for (const auto& [strategy, actions] : strategies)
    for (const auto& x : rows) {
      CAF_MESSAGE(to_string(strategy)
                  << ", " << to_string(x.restart) << ", " << caf::to_string(x.reason));
      driver testee{with(strategy)};
      testee.plan.add(restart_type::permanent, false, start);
      testee.plan.add(x.restart, false, start);
      testee.plan.add(restart_type::permanent, false, start);
      testee.run();
      testee.take();
      CAF_CHECK_EQUAL(testee.ended(2, x.reason), x.again ? actions : "");
      CAF_CHECK_EQUAL(testee.plan.contains(2), x.restart != restart_type::temporary);
      if (testee.plan.contains(2)) {
        CAF_CHECK_EQUAL(testee.plan.restarts_of(2), x.again ? 1u : 0u);
        CAF_CHECK(testee.plan.state_of(2) == (x.again ? state::running : state::ended));
      }
      CAF_CHECK(testee.plan.state_of(1) == state::running);
      CAF_CHECK(testee.plan.state_of(3) == state::running);
    }
}

CAF_TEST(a temporary sibling is not started again with its group) {
  driver testee{with(restart_strategy::one_for_all)};
  testee.plan.add(restart_type::permanent, false, start);
  testee.plan.add(restart_type::temporary, false, start);
  testee.plan.add(restart_type::transient, false, start);
  testee.run();
  testee.take();
  CAF_CHECK_EQUAL(testee.ended(1, crash), "-3 -2 +1 +3");
  CAF_CHECK(!testee.plan.contains(2));
}

CAF_TEST(a transient child that was done starts again with its group) {
  driver testee{with(restart_strategy::one_for_all)};
  testee.plan.add(restart_type::transient, false, start);
  testee.plan.add(restart_type::permanent, false, start);
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "+1 +2");
  CAF_CHECK_EQUAL(testee.ended(1, normal), "");
  CAF_CHECK_EQUAL(testee.ended(2, crash), "+1 +2");
}

CAF_TEST(siblings that end while their group stops are restarted once) {
  driver testee{with(restart_strategy::one_for_all, 1)};
  for (int i = 0; i < 3; ++i)
    testee.plan.add(restart_type::permanent, false, start);
  testee.run();
  testee.take();
  testee.hang = true;
  CAF_CHECK_EQUAL(testee.ended(2, crash), "-3");
  CAF_CHECK_EQUAL(testee.ended(1, crash), ""); // not told yet, does not count
  CAF_CHECK_EQUAL(testee.ended(3, caf::exit_reason::kill), "+1 +2 +3");
}

CAF_TEST(exceeding the intensity stops all and finishes abnormally) {
  for (auto strategy : {restart_strategy::one_for_one, restart_strategy::one_for_all,
                        restart_strategy::rest_for_one}) {
    driver testee{with(strategy, 2)};
    for (int i = 0; i < 3; ++i)
      testee.plan.add(restart_type::permanent, false, start);
    testee.run();
    testee.ended(3, crash);
    testee.ended(3, crash);
    CAF_CHECK_EQUAL(testee.ended(3, crash), "-2 -1 !");
    CAF_CHECK_EQUAL(testee.reason, errc::too_many_restarts);
    CAF_CHECK(is_abnormal(testee.reason));
    CAF_CHECK(describe(testee.reason).find(describe(crash)) != std::string::npos);
  }
}

CAF_TEST(a failed start counts as a restart) {
  driver testee{with(restart_strategy::one_for_one, 3)};
  testee.plan.add(restart_type::permanent, false, start);
  testee.plan.add(restart_type::permanent, false, start);
  testee.fail_starts = {1};
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "x1 x1 x1 x1 !");
  CAF_CHECK_EQUAL(testee.reason, errc::too_many_restarts);
}

CAF_TEST(a failed start under rest_for_one holds the later ones back) {
  auto options = with(restart_strategy::rest_for_one);
  options.backoff = {100ms, 1s, 0, 1, false};
  driver testee{options};
  for (int i = 0; i < 3; ++i)
    testee.plan.add(restart_type::permanent, false, start);
  testee.fail_starts = {2};
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "+1 x2");
  CAF_CHECK(testee.plan.wakeup() == start + 100ms);
  testee.fail_starts.clear();
  testee.now += 100ms;
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "+2 +3");
}

CAF_TEST(a temporary child that does not start is forgotten) {
  driver testee{with(restart_strategy::one_for_one, 0)};
  testee.plan.add(restart_type::temporary, false, start);
  testee.fail_starts = {1};
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "x1");
  CAF_CHECK(!testee.plan.contains(1));
  CAF_CHECK(!testee.plan.closing());
}

CAF_TEST(restarts wait for their backoff and a stable child starts over) {
  auto options = with(restart_strategy::one_for_one);
  options.backoff = {100ms, 1s, 0, 1, false};
  options.stable_after = 10s;
  driver testee{options};
  testee.plan.add(restart_type::permanent, false, start);
  testee.run();
  testee.take();
  for (auto delay : {100ms, 200ms, 400ms}) {
    CAF_CHECK_EQUAL(testee.ended(1, crash), "");
    CAF_CHECK(testee.plan.wakeup() == testee.now + delay);
    testee.now += delay - 1ms;
    testee.run();
    CAF_CHECK_EQUAL(testee.take(), "");
    testee.now += 1ms;
    testee.run();
    CAF_CHECK_EQUAL(testee.take(), "+1");
  }
  testee.now += 10s;
  CAF_CHECK_EQUAL(testee.ended(1, crash), "");
  CAF_CHECK(testee.plan.wakeup() == testee.now + 100ms);
}

CAF_TEST(a removed child stops without consequences) {
  for (auto strategy : {restart_strategy::one_for_one, restart_strategy::one_for_all}) {
    driver testee{with(strategy, 0)};
    for (int i = 0; i < 3; ++i)
      testee.plan.add(restart_type::permanent, false, start);
    testee.run();
    testee.take();
    testee.plan.remove(2);
    testee.run();
    CAF_CHECK_EQUAL(testee.take(), "-2");
    CAF_CHECK(!testee.plan.contains(2));
    testee.plan.shut_down(shutdown_reason);
    testee.run();
    CAF_CHECK_EQUAL(testee.take(), "-3 -1 !");
  }
}

CAF_TEST(significant children end their supervisor as auto_shutdown says) {
  struct row {
    auto_shutdown mode;
    const char* after_first;
    const char* after_second;
  };
  const row rows[] = {
      {auto_shutdown::never, "", ""},
      {auto_shutdown::any_significant, "-3 -2 !", ""},
      {auto_shutdown::all_significant, "", "-3 !"},
  };
  for (const auto& x : rows)
    for (auto type : {restart_type::transient, restart_type::temporary}) {
      CAF_MESSAGE(to_string(x.mode) << ", " << to_string(type));
      auto options = with(restart_strategy::one_for_one);
      options.shutdown_with = x.mode;
      driver testee{options};
      testee.plan.add(type, true, start);
      testee.plan.add(type, true, start);
      testee.plan.add(restart_type::permanent, false, start);
      testee.run();
      testee.take();
      CAF_CHECK_EQUAL(testee.ended(1, normal), x.after_first);
      CAF_CHECK_EQUAL(testee.ended(2, normal), x.after_second);
      if (testee.plan.closing())
        CAF_CHECK_EQUAL(testee.reason, shutdown_reason);
    }
}

CAF_TEST(a significant child that crashes is restarted first) {
  auto options = with(restart_strategy::one_for_one);
  options.shutdown_with = auto_shutdown::any_significant;
  driver testee{options};
  testee.plan.add(restart_type::transient, true, start);
  testee.run();
  testee.take();
  CAF_CHECK_EQUAL(testee.ended(1, crash), "+1");
  CAF_CHECK_EQUAL(testee.ended(1, normal), "!");
}

CAF_TEST(a shutdown during a backoff forgets the restart) {
  auto options = with(restart_strategy::one_for_one);
  options.backoff = {100ms, 1s, 0, 1, false};
  driver testee{options};
  testee.plan.add(restart_type::permanent, false, start);
  testee.run();
  testee.ended(1, crash);
  testee.plan.shut_down(shutdown_reason);
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "!");
  CAF_CHECK(!testee.plan.wakeup());
  testee.now += 1h;
  testee.run();
  CAF_CHECK_EQUAL(testee.take(), "");
}

CAF_TEST(a thousand crashes follow intensity and backoff exactly) {
  // Model: the streak grows with every crash, unless the child ran for stable_after; the plan gives
  // up when more than `intensity` crashes lie within one period.
  std::mt19937 random{test_seed()};
  auto options = with(restart_strategy::one_for_one, 10);
  options.period = 2s;
  options.stable_after = 500ms;
  options.backoff = {10ms, 160ms, 0, 1, false};
  size_t gave_up = 0;
  size_t crashes = 0;
  while (crashes < 1000) {
    driver testee{options};
    testee.plan.add(restart_type::permanent, false, start);
    testee.run();
    std::deque<restart_plan::time_point> recent;
    size_t streak = 0;
    for (;;) {
      const auto uptime =
          std::chrono::milliseconds{random() % 10 ? random() % 60 : random() % 1000};
      testee.now += uptime;
      ++crashes;
      testee.ended(1, crash);
      while (!recent.empty() && testee.now - recent.front() > 2s)
        recent.pop_front();
      if (recent.size() == 10) {
        CAF_REQUIRE(testee.plan.closing());
        ++gave_up;
        break;
      }
      CAF_REQUIRE(!testee.plan.closing());
      recent.push_back(testee.now);
      if (uptime >= 500ms)
        streak = 0;
      const auto delay = std::min(160ms, 10ms * (1 << std::min<size_t>(streak++, 10)));
      CAF_REQUIRE(testee.plan.wakeup() == testee.now + delay);
      testee.now += delay;
      testee.run();
      CAF_REQUIRE(testee.plan.state_of(1) == state::running);
    }
  }
  CAF_CHECK_GREATER(gave_up, 1u);
}

CAF_TEST(random events never break the order of starts and stops) {
  std::mt19937 random{test_seed()};
  const restart_strategy strategies[] = {
      restart_strategy::one_for_one, restart_strategy::one_for_all, restart_strategy::rest_for_one};
  for (int round = 0; round < 300; ++round) {
    auto options = with(strategies[random() % 3]);
    options.backoff = {5ms, 50ms, 0.5, static_cast<uint32_t>(round), true};
    restart_plan plan{options};
    std::set<key> alive; // running or stopping, as actors see it
    std::set<key> told;
    auto now = start;
    for (int i = 0; i < 5; ++i)
      plan.add(static_cast<restart_type>(random() % 3), false, now);
    for (int step = 0; step < 200; ++step) {
      if (step == 150)
        plan.shut_down(shutdown_reason);
      while (auto action = plan.next(now)) {
        if (action->kind == kind::start) {
          CAF_REQUIRE(!alive.count(action->child));
          if (options.strategy != restart_strategy::one_for_one)
            CAF_REQUIRE(alive.empty() || action->child > *alive.rbegin());
          if (random() % 8 == 0) {
            plan.start_failed(action->child, crash, now);
          } else {
            plan.started(action->child, now);
            alive.insert(action->child);
          }
        } else if (action->kind == kind::stop) {
          CAF_REQUIRE(alive.count(action->child));
          CAF_REQUIRE(told.insert(action->child).second);
        } else {
          CAF_REQUIRE(alive.empty());
        }
      }
      if (!alive.empty() && random() % 2) {
        auto at = std::next(alive.begin(), static_cast<long>(random() % alive.size()));
        const auto child = *at;
        alive.erase(at);
        told.erase(child);
        plan.ended(child, random() % 2 ? crash : normal, now);
      }
      now += std::chrono::milliseconds{random() % 30};
    }
  }
}
