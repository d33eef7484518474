// Goal: what names and groups cost on one node: a look-up, also with many names and many readers; a
// spawn that gets a name and is looked up, over a bare spawn; a publish until every member has
// handled it, beside a loop of sends. Not measured: names of other nodes, churn under readers.
#include <string>
#include <vector>

#include "caf_app/registry/loop_app_actor.hpp"
#include "caf_app/registry/registry.hpp"
#include "support/actor_rig.hpp"

namespace {

using namespace bench;
using publisher = driver<caf_app::loop_app_actor>;
using member = peer<caf_app::loop_app_actor>;

caf::actor spawn_idle(rig& it, caf_app::event_loop* loop) {
  return caf_app::spawn_on<member>(it.system, loop,
                                   [](member*) { return caf::behavior{[](uint64_t) {}}; });
}

std::string name_of(size_t i) { return "bench.name-" + std::to_string(i); }

/// What the reader threads of bm_where_is share.
enum class scope { node, cluster };

struct phone_book {
  phone_book(size_t count, scope where) : holder(spawn_idle(it, nullptr)) {
    const auto actor = caf::actor_cast<caf::strong_actor_ptr>(holder);
    for (size_t i = 0; i < count; ++i) {
      names.push_back(name_of(i));
      if (where == scope::cluster)
        book->cluster_name_held(names.back(), actor, "another", 1, it.system.clock().now());
      else if (!book->register_name(names.back(), holder))
        std::abort();
    }
  }
  ~phone_book() { end(holder); }

  rig it;
  std::shared_ptr<caf_app::registry> book = caf_app::registry::make();
  std::vector<std::string> names;
  caf::actor holder;
};

/// One look-up; names are asked for in a fixed stride, so that big books miss the cache.
template <scope Scope>
void bm_where_is(benchmark::State& state) {
  static std::unique_ptr<phone_book> shared;
  if (state.thread_index() == 0)
    shared = std::make_unique<phone_book>(static_cast<size_t>(state.range(0)), Scope);
  size_t at = static_cast<size_t>(state.thread_index()) * 7;
  for (auto _ : state) {
    at = (at + 61) % shared->names.size();
    auto found = shared->book->where_is(shared->names[at]);
    benchmark::DoNotOptimize(found);
    if (!found)
      state.SkipWithError("a registered name was not found");
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  if (state.thread_index() == 0)
    shared.reset();
}
BENCHMARK_TEMPLATE(bm_where_is, scope::node)
    ->Name("bm_where_is")
    ->Arg(100)
    ->Arg(10'000)
    ->UseRealTime();
BENCHMARK_TEMPLATE(bm_where_is, scope::node)
    ->Name("bm_where_is")
    ->Arg(10'000)
    ->Threads(8)
    ->UseRealTime();
BENCHMARK_TEMPLATE(bm_where_is, scope::cluster)
    ->Name("bm_where_is_cluster")
    ->Arg(10'000)
    ->UseRealTime();

enum class naming { none, named };

/// Spawn, register, look up; without the name the same spawn alone.
template <naming Naming>
void bm_named_spawn_lookup(benchmark::State& state) {
  constexpr uint64_t batch_size = 1000;
  rig it;
  auto book = caf_app::registry::make();
  std::vector<std::string> names;
  for (uint64_t i = 0; i < batch_size; ++i)
    names.push_back(name_of(i));
  std::vector<caf::actor> spawned;
  spawned.reserve(batch_size);
  auto driver = caf_app::spawn_on<publisher>(
      it.system, it.driver_loop(place::same_loop), [&](publisher* self, uint64_t size) {
        for (uint64_t i = 0; i < size; ++i) {
          spawned.push_back(spawn_idle(it, self->loop()));
          if constexpr (Naming == naming::named) {
            if (!book->register_name(names[i], spawned.back()) || !book->where_is(names[i]))
              return; // the batch does not end then, and the benchmark says so
          }
        }
        self->finish();
      });
  run_batches(state, it.system, driver, batch_size, [&] {
    for (auto& each : spawned)
      end(each);
    spawned.clear();
    for (uint64_t i = 0; i < batch_size; ++i)
      book->unregister_name(names[i]);
  });
  state.SetLabel(to_string(place::same_loop));
}
BENCHMARK_TEMPLATE(bm_named_spawn_lookup, naming::named)
    ->Name("bm_named_spawn_lookup")
    ->UseManualTime();
BENCHMARK_TEMPLATE(bm_named_spawn_lookup, naming::none)->Name("bm_bare_spawn")->UseManualTime();

enum class fan { publish, caf_send };

/// One publish until the last of `n` members has handled it; `caf_send` is a loop over handles.
template <fan Fan>
void bm_group_publish(benchmark::State& state) {
  rig it;
  const auto where = static_cast<place>(state.range(1));
  const auto size = static_cast<size_t>(state.range(0));
  auto book = caf_app::registry::make();
  caf::actor driver;
  size_t handled = 0; // all members share one thread
  std::vector<caf::actor> members;
  for (size_t i = 0; i < size; ++i) {
    members.push_back(caf_app::spawn_on<member>(it.system, it.peer_loop(where), [&](member* self) {
      return caf::behavior{[&, self](uint64_t) {
        if (++handled % size == 0)
          self->send(driver, caf::ok_atom_v);
      }};
    }));
    if (!book->join("bench", members.back()))
      std::abort();
  }
  driver = caf_app::spawn_on<publisher>(
      it.system, it.driver_loop(where), [&](publisher* self, uint64_t one) {
        if constexpr (Fan == fan::publish) {
          book->publish("bench", caf::make_message(one), self->context());
        } else {
          const auto content = caf::make_message(one);
          for (auto& each : members)
            self->send(each, content);
        }
      });
  run_batches(state, it.system, driver, 1);
  for (auto& each : members)
    end(each);
  state.SetLabel(std::string{to_string(where)} + ", all members");
}
BENCHMARK_TEMPLATE(bm_group_publish, fan::publish)
    ->Name("bm_group_publish")
    ->ArgsProduct({{10, 50, 100, 1000, 10'000}, {1, 2}})
    ->UseManualTime();
BENCHMARK_TEMPLATE(bm_group_publish, fan::caf_send)
    ->Name("bm_caf_send_each")
    ->ArgsProduct({{10, 50, 100, 1000, 10'000}, {1, 2}})
    ->UseManualTime();

} // namespace

BENCHMARK_MAIN();
