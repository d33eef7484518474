// Goal: what a deadline costs a connection that moves it with each request, and what a pass pays
// for knowing when to wake up. Not measured: callbacks.
#include "caf_app/loop/timer_wheel.hpp"

#include <chrono>
#include <deque>

#include <benchmark/benchmark.h>

namespace {

using namespace std::chrono_literals;
using caf_app::timer_wheel;
using caf_app::wheel_timer;

const timer_wheel::clock::time_point start{1h}; // any origin will do

/// A wheel with one timer per connection, spread over a minute.
struct connections {
  explicit connections(size_t count) {
    for (size_t i = 0; i < count; ++i)
      wheel.arm(timers.emplace_back([] {}), start + 1s + i * 60s / count);
  }
  timer_wheel wheel{start};
  std::deque<wheel_timer> timers;
};

void bm_timer_wheel_move(benchmark::State& state) {
  connections all{static_cast<size_t>(state.range(0))};
  size_t i = 0;
  auto due = start + 60s;
  for (auto _ : state) {
    all.wheel.arm(all.timers[i], due += 1us);
    i = (i + 7919) % all.timers.size();
  }
}
BENCHMARK(bm_timer_wheel_move)->Arg(100)->Arg(10'000);

void bm_timer_wheel_next_wakeup(benchmark::State& state) {
  connections all{static_cast<size_t>(state.range(0))};
  for (auto _ : state)
    benchmark::DoNotOptimize(all.wheel.next_wakeup());
}
BENCHMARK(bm_timer_wheel_next_wakeup)->Arg(0)->Arg(1)->Arg(10'000);

/// Per tick: the timers of its slot, most of which are turns away, are looked at; those that are
/// due go to the end of the minute again.
void bm_timer_wheel_advance(benchmark::State& state) {
  timer_wheel wheel{start};
  auto now = start;
  std::deque<wheel_timer> timers;
  for (int64_t i = 0; i < state.range(0); ++i) {
    auto& timer =
        timers.emplace_back([&, i] { wheel.arm(timers[static_cast<size_t>(i)], now + 60s); });
    wheel.arm(timer, start + i * 60s / state.range(0));
  }
  for (auto _ : state)
    wheel.advance(now += timer_wheel::tick);
}
BENCHMARK(bm_timer_wheel_advance)->Arg(1)->Arg(10'000);

} // namespace

BENCHMARK_MAIN();
