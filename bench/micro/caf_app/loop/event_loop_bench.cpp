// Goal: CPU time of the whole process for a job, a wake-up from another thread and a deadline, the
// latter beside CAF's own timer thread. CPU time, because a deadline is mostly waiting. Not
// measured: sockets, and actors (loop_actor_bench).
#include "caf_app/loop/event_loop.hpp"

#include <ctime>

#include <chrono>
#include <functional>
#include <future>
#include <optional>

#include <benchmark/benchmark.h>

#include "caf_app/loop/loop_actor.hpp"

namespace {

using namespace std::chrono_literals;
using caf_app::event_loop;
using caf_app::wheel_timer;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct config : caf::actor_system_config {
  config() {
    set("scheduler.policy", caf::atom("sharing")).set("scheduler.max-threads", size_t{1});
  }
};

struct rig {
  config cfg;
  caf::actor_system system{cfg};
  event_loop loop{system, {}};
};

/// Runs `start` on the loop's thread and waits until it has called its argument; the time per
/// iteration is the CPU time of that divided by `count`.
template <class F>
void measure(benchmark::State& state, event_loop& loop, int count, F start) {
  for (auto _ : state) {
    std::promise<void> done;
    const auto before = cpu_seconds();
    loop.post([&] { start([&] { done.set_value(); }); });
    done.get_future().wait();
    state.SetIterationTime((cpu_seconds() - before) / count);
  }
}

void bm_event_loop_job(benchmark::State& state) {
  rig it;
  constexpr int count = 100'000;
  int left = 0;
  std::function<void()> done, step = [&] {
    if (--left == 0)
      done();
    else
      it.loop.post([&] { step(); });
  };
  measure(state, it.loop, count, [&](std::function<void()> end) {
    left = count;
    done = std::move(end);
    step();
  });
}
BENCHMARK(bm_event_loop_job)->UseManualTime()->Iterations(5);

/// Two loops that wake each other; both sides of a wake-up are counted.
void bm_event_loop_wakeup(benchmark::State& state) {
  rig it;
  event_loop other{it.system, {1, {}}};
  constexpr int count = 10'000;
  int left = 0;
  std::function<void()> done, step = [&] {
    if (--left == 0)
      done();
    else
      (it.loop.on_this_thread() ? other : it.loop).post([&] { step(); });
  };
  measure(state, it.loop, count, [&](std::function<void()> end) {
    left = count;
    done = std::move(end);
    step();
  });
}
BENCHMARK(bm_event_loop_wakeup)->UseManualTime()->Iterations(5);

constexpr int ticks = 20;

void bm_event_loop_deadline(benchmark::State& state) {
  rig it;
  int left = 0;
  std::function<void()> done;
  std::optional<wheel_timer> timer;
  timer.emplace([&] {
    if (--left == 0)
      done();
    else
      it.loop.timers().arm(*timer, it.loop.now() + 10ms);
  });
  measure(state, it.loop, ticks, [&](std::function<void()> end) {
    left = ticks;
    done = std::move(end);
    it.loop.timers().arm(*timer, it.loop.now() + 10ms);
  });
}
BENCHMARK(bm_event_loop_deadline)->UseManualTime()->Iterations(5);

/// The same with delayed_send, that is CAF's clock thread.
class caf_ticking : public caf_app::loop_actor<> {
public:
  using loop_actor<>::loop_actor;
  caf::behavior make_behavior() override {
    return {[this](caf::put_atom, int left) { delayed_send(this, 10ms, caf::tick_atom_v, left); },
            [this](caf::tick_atom, int left) {
              if (left == 1)
                done();
              else
                delayed_send(this, 10ms, caf::tick_atom_v, left - 1);
            }};
  }
  std::function<void()> done;
};

void bm_caf_deadline(benchmark::State& state) {
  rig it;
  const auto actor = caf_app::spawn_on<caf_ticking>(it.system, &it.loop);
  measure(state, it.loop, ticks, [&](std::function<void()> end) {
    caf::actor_cast<caf_ticking*>(actor)->done = std::move(end);
    caf::anon_send(actor, caf::put_atom_v, ticks);
  });
  caf::anon_send_exit(actor, caf::exit_reason::kill);
}
BENCHMARK(bm_caf_deadline)->UseManualTime()->Iterations(5);

/// What an idle loop costs per second.
void bm_event_loop_idle_second(benchmark::State& state) {
  rig it;
  std::function<void()> done;
  wheel_timer timer{[&] { done(); }};
  measure(state, it.loop, 1, [&](std::function<void()> end) {
    done = std::move(end);
    it.loop.timers().arm(timer, it.loop.now() + 1s);
  });
}
BENCHMARK(bm_event_loop_idle_second)->UseManualTime()->Iterations(1);

} // namespace

BENCHMARK_MAIN();
