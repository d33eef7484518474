// What the actor benchmarks share: a system as a node runs it (one worker, `sharing`), two event
// loops, and a way to run a batch of operations inside an actor and get its time. An iteration of
// Google Benchmark is a batch; figures are per operation (items per second). The time is taken by
// the driver itself, so that waking it up and collecting the result stay outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include <benchmark/benchmark.h>
#include <caf/all.hpp>

#include "caf_app/loop/event_loop.hpp"
#include "caf_app/loop/loop_actor.hpp"
#include "caf_app/loop/scheduler.hpp"

namespace bench {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Where two actors of a benchmark run.
enum class place { worker, same_loop, across_loops };

inline const char* to_string(place where) {
  switch (where) {
    case place::worker: return "one worker";
    case place::same_loop: return "same loop";
    case place::across_loops: return "across loops";
  }
  return "";
}

struct config : caf::actor_system_config {
  config() { caf_app::load_scheduler(*this, 1); }
};

/// A system with two loops; its end waits for all actors.
class rig {
public:
  rig() : system(cfg), near_(system, {0, {}}), far_(system, {1, {}}) {}

  ~rig() { system.await_all_actors_done(); }

  /// The loop of the actor that drives, null for the worker.
  caf_app::event_loop* driver_loop(place where) {
    return where == place::worker ? nullptr : &near_;
  }

  /// The loop of the other actor.
  caf_app::event_loop* peer_loop(place where) {
    return where == place::worker ? nullptr : where == place::same_loop ? &near_ : &far_;
  }

  config cfg;
  caf::actor_system system;

private:
  caf_app::event_loop near_;
  caf_app::event_loop far_;
};

/// An actor that runs batches: told a size, it calls `run`, which calls finish() after the last
/// operation or sees to it that an ok_atom comes. `Base` is loop_actor<>, or something above it.
template <class Base>
class driver : public Base {
public:
  using run_function = std::function<void(driver*, uint64_t size)>;

  driver(caf::actor_config& cfg, caf_app::event_loop* loop, run_function run)
      : Base(cfg, loop), run_(std::move(run)) {}

  caf::behavior make_behavior() override {
    return {[this](uint64_t size) {
              client_ = caf::actor_cast<caf::actor>(this->current_sender());
              began_ = clock::now();
              run_(this, size);
            },
            [this](caf::ok_atom) { finish(); }};
  }

  /// Leaves what happened so far out of the time.
  void restart() { began_ = clock::now(); }

  void finish() {
    const std::chrono::nanoseconds took = clock::now() - began_;
    this->send(client_, static_cast<int64_t>(took.count()));
  }

private:
  run_function run_;
  caf::actor client_;
  clock::time_point began_;
};

/// An actor with the given behavior, at the given place.
template <class Base>
class peer : public Base {
public:
  using make_function = std::function<caf::behavior(peer*)>;

  peer(caf::actor_config& cfg, caf_app::event_loop* loop, make_function make)
      : Base(cfg, loop), make_(std::move(make)) {}

  caf::behavior make_behavior() override { return make_(this); }

private:
  make_function make_;
};

inline void end(const caf::actor& whom) {
  caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
}

/// Times batches of `driver` until the benchmark has enough; `after` cleans up behind each.
inline void run_batches(
    benchmark::State& state, caf::actor_system& system, caf::actor driver, uint64_t batch_size,
    const std::function<void()>& after = [] {}) {
  caf::scoped_actor self{system};
  for (auto _ : state) {
    self->send(driver, batch_size);
    self->receive([&](int64_t ns) { state.SetIterationTime(static_cast<double>(ns) / 1e9); },
                  caf::after(30s) >>
                      [&] { state.SkipWithError("a batch did not end within 30 s"); });
    after();
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * batch_size));
  end(driver);
}

} // namespace bench
