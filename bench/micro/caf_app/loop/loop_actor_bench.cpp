// Goal: what it costs to start an actor and to move messages between actors, on a scheduler worker,
// inside a loop and between two loops. Not measured: contention with sockets, more threads than
// two. Plain CAF is the rows named `caf_*`; they differ only in the base of the actors.
#include <string>
#include <vector>

#include "support/actor_rig.hpp"

namespace {

using namespace bench;
using actor_base = caf_app::loop_actor<>;

caf::behavior idle() {
  return {[](uint64_t) {}};
}

class idle_actor : public actor_base {
public:
  using actor_base::actor_base;
  caf::behavior make_behavior() override { return idle(); }
};

class caf_idle_actor : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override { return idle(); }
};

using actor_driver = driver<actor_base>;
using actor_peer = peer<actor_base>;

/// Starts batches of actors with `spawn`; they end outside of the timed part.
template <class Spawn>
void spawn_row(benchmark::State& state, place where, Spawn spawn) {
  rig it;
  std::vector<caf::actor> spawned;
  spawned.reserve(1000);
  auto driver = caf_app::spawn_on<actor_driver>(it.system, it.driver_loop(where),
                                                [&](actor_driver* self, uint64_t size) {
                                                  for (uint64_t i = 0; i < size; ++i)
                                                    spawned.push_back(spawn(self));
                                                  self->finish();
                                                });
  run_batches(state, it.system, driver, 1000, [&] {
    for (auto& each : spawned)
      end(each);
    spawned.clear();
  });
  state.SetLabel(to_string(where));
}

void bm_spawn(benchmark::State& state) {
  spawn_row(state, static_cast<place>(state.range(0)), [](actor_driver* self) {
    return caf_app::spawn_on<idle_actor>(self->system(), self->loop());
  });
}
BENCHMARK(bm_spawn)->Arg(0)->Arg(1)->UseManualTime();

void bm_caf_spawn(benchmark::State& state) {
  spawn_row(state, place::worker,
            [](actor_driver* self) { return caf::actor{self->system().spawn<caf_idle_actor>()}; });
}
BENCHMARK(bm_caf_spawn)->UseManualTime();

/// One way, until the last message has been handled.
void bm_send(benchmark::State& state) {
  rig it;
  const auto where = static_cast<place>(state.range(0));
  caf::actor driver;
  auto sink = caf_app::spawn_on<actor_peer>(it.system, it.peer_loop(where), [&](actor_peer* self) {
    return caf::behavior{[self, &driver](uint64_t left) {
      if (left == 0)
        self->send(driver, caf::ok_atom_v);
    }};
  });
  driver = caf_app::spawn_on<actor_driver>(it.system, it.driver_loop(where),
                                           [sink](actor_driver* self, uint64_t size) {
                                             while (size > 0)
                                               self->send(sink, --size);
                                           });
  run_batches(state, it.system, driver, 10'000);
  end(sink);
  state.SetLabel(to_string(where));
}
BENCHMARK(bm_send)->Arg(0)->Arg(1)->Arg(2)->UseManualTime();

/// One way with a text of the given size; the text is made anew for each message.
void bm_send_bytes(benchmark::State& state) {
  rig it;
  const std::string text(static_cast<size_t>(state.range(0)), 'x');
  caf::actor driver;
  auto sink = caf_app::spawn_on<actor_peer>(
      it.system, it.peer_loop(place::same_loop), [&](actor_peer* self) {
        return caf::behavior{[self, &driver](uint64_t left, const std::string& content) {
          benchmark::DoNotOptimize(content.data());
          if (left == 0)
            self->send(driver, caf::ok_atom_v);
        }};
      });
  driver = caf_app::spawn_on<actor_driver>(it.system, it.driver_loop(place::same_loop),
                                           [sink, &text](actor_driver* self, uint64_t size) {
                                             while (size > 0)
                                               self->send(sink, --size, text);
                                           });
  run_batches(state, it.system, driver, 200);
  end(sink);
  state.SetLabel(to_string(place::same_loop));
}
BENCHMARK(bm_send_bytes)->Arg(8)->Arg(64)->Arg(512)->Arg(4096)->UseManualTime();

/// A token goes round a ring of actors on one loop; per hop.
void bm_ring(benchmark::State& state) {
  rig it;
  const auto size = static_cast<size_t>(state.range(0));
  caf::actor driver;
  std::vector<caf::actor> ring;
  for (size_t i = 0; i < size; ++i)
    ring.push_back(caf_app::spawn_on<actor_peer>(
        it.system, it.peer_loop(place::same_loop), [&, i](actor_peer* self) {
          return caf::behavior{[&, self, i](uint64_t left) {
            if (left == 0)
              self->send(driver, caf::ok_atom_v);
            else
              self->send(ring[(i + 1) % size], left - 1);
          }};
        }));
  driver = caf_app::spawn_on<actor_driver>(
      it.system, it.driver_loop(place::same_loop),
      [&](actor_driver* self, uint64_t hops) { self->send(ring.front(), hops - 1); });
  run_batches(state, it.system, driver, 10'000);
  for (auto& each : ring)
    end(each);
  state.SetLabel("per hop, same loop");
}
BENCHMARK(bm_ring)->Arg(10)->Arg(100)->Arg(500)->UseManualTime();

/// Many senders on one loop, one receiver on the other; per message.
void bm_fan_in(benchmark::State& state) {
  constexpr uint64_t total = 10'000;
  rig it;
  const auto senders = static_cast<uint64_t>(state.range(0));
  caf::actor driver;
  uint64_t seen = 0; // of the sink
  auto sink = caf_app::spawn_on<actor_peer>(it.system, it.driver_loop(place::across_loops),
                                            [&](actor_peer* self) {
                                              return caf::behavior{[&, self](uint64_t) {
                                                if (++seen % total == 0)
                                                  self->send(driver, caf::ok_atom_v);
                                              }};
                                            });
  std::vector<caf::actor> sources;
  for (uint64_t i = 0; i < senders; ++i)
    sources.push_back(caf_app::spawn_on<actor_peer>(
        it.system, it.peer_loop(place::across_loops), [sink](actor_peer* self) {
          return caf::behavior{[self, sink](uint64_t count) {
            for (; count > 0; --count)
              self->send(sink, count);
          }};
        }));
  driver = caf_app::spawn_on<actor_driver>(it.system, it.driver_loop(place::across_loops),
                                           [&](actor_driver* self, uint64_t size) {
                                             for (auto& each : sources)
                                               self->send(each, size / senders);
                                           });
  run_batches(state, it.system, driver, total);
  for (auto& each : sources)
    end(each);
  end(sink);
  state.SetLabel(to_string(place::across_loops));
}
BENCHMARK(bm_fan_in)->Arg(1)->Arg(10)->Arg(50)->Arg(100)->UseManualTime();

/// How long a message to an idle actor takes behind an actor of its loop with a full mailbox, until
/// the answer is back.
void bm_cold_behind_hot(benchmark::State& state) {
  rig it;
  const auto backlog = static_cast<uint64_t>(state.range(0));
  auto* loop = it.driver_loop(place::same_loop);
  caf::actor driver;
  auto hot = caf_app::spawn_on<actor_peer>(
      it.system, loop, [](actor_peer*) { return caf::behavior{[](uint64_t) {}}; });
  auto cold = caf_app::spawn_on<actor_peer>(it.system, loop, [&](actor_peer* self) {
    return caf::behavior{[self, &driver](uint64_t) { self->send(driver, caf::ok_atom_v); }};
  });
  driver = caf_app::spawn_on<actor_driver>(it.system, loop, [=](actor_driver* self, uint64_t one) {
    for (uint64_t i = 0; i < backlog; ++i)
      self->send(hot, i);
    self->restart();
    self->send(cold, one);
  });
  run_batches(state, it.system, driver, 1);
  end(hot);
  end(cold);
  state.SetLabel(to_string(place::same_loop));
}
BENCHMARK(bm_cold_behind_hot)->Arg(100)->Arg(1000)->Arg(10'000)->UseManualTime();

} // namespace

BENCHMARK_MAIN();
