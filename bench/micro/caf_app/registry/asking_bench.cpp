// Goal: what an ask costs from sending it until its answer has been handled, beside CAF's own
// request(), and that a million asks leave no memory behind. Not measured: asks to other nodes.
#include <unistd.h>

#include <fstream>

#include "caf_app/registry/loop_app_actor.hpp"
#include "support/actor_rig.hpp"

namespace {

using namespace bench;

enum class api { ask, caf_request };

using asker = driver<caf_app::loop_app_actor>;
using answerer = peer<caf_app::loop_app_actor>;

/// Asks again as soon as the answer is there, `left` times.
template <api Api>
void ask_next(asker* self, const caf::actor& target, uint64_t left) {
  if (left == 0)
    return self->finish();
  auto on_reply = [self, target, left](uint64_t) { ask_next<Api>(self, target, left - 1); };
  auto on_error = [](caf::error&) {}; // the batch does not end then, and the benchmark says so
  if constexpr (Api == api::ask)
    self->ask(target, 10s, left).then(on_reply, on_error);
  else
    self->request(target, 10s, left).then(on_reply, on_error);
}

caf::actor spawn_answerer(rig& it, place where) {
  return caf_app::spawn_on<answerer>(it.system, it.peer_loop(where), [](answerer*) {
    return caf::behavior{[](uint64_t x) { return x; }};
  });
}

/// CAF sets a timer for each request and keeps it until it fires, so its batches are bounded.
template <api Api>
void bm_ask_roundtrip(benchmark::State& state) {
  rig it;
  const auto where = static_cast<place>(state.range(0));
  auto target = spawn_answerer(it, where);
  auto driver = caf_app::spawn_on<asker>(
      it.system, it.driver_loop(where),
      [target](asker* self, uint64_t size) { ask_next<Api>(self, target, size); });
  run_batches(state, it.system, driver, 1000);
  end(target);
  state.SetLabel(to_string(where));
}
BENCHMARK_TEMPLATE(bm_ask_roundtrip, api::ask)
    ->Name("bm_ask_roundtrip")
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime();
BENCHMARK_TEMPLATE(bm_ask_roundtrip, api::caf_request)
    ->Name("bm_caf_request_roundtrip")
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime();

/// Many asks under way at once; per ask.
template <api Api>
void bm_ask_in_flight(benchmark::State& state) {
  rig it;
  const auto where = place::across_loops;
  auto target = spawn_answerer(it, where);
  uint64_t left = 0; // of the driver
  auto driver = caf_app::spawn_on<asker>(
      it.system, it.driver_loop(where), [target, &left](asker* self, uint64_t size) {
        left = size;
        for (uint64_t i = 0; i < size; ++i) {
          auto on_reply = [self, &left](uint64_t) {
            if (--left == 0)
              self->finish();
          };
          auto on_error = [](caf::error&) {};
          if constexpr (Api == api::ask)
            self->ask(target, 10s, i).then(on_reply, on_error);
          else
            self->request(target, 10s, i).then(on_reply, on_error);
        }
      });
  run_batches(state, it.system, driver, static_cast<uint64_t>(state.range(0)));
  end(target);
  state.SetLabel(to_string(where));
}
BENCHMARK_TEMPLATE(bm_ask_in_flight, api::ask)
    ->Name("bm_ask_in_flight")
    ->Arg(64)
    ->Arg(1000)
    ->UseManualTime();
BENCHMARK_TEMPLATE(bm_ask_in_flight, api::caf_request)
    ->Name("bm_caf_request_in_flight")
    ->Arg(64)
    ->Arg(1000)
    ->UseManualTime();

double rss_kib() {
  std::ifstream statm{"/proc/self/statm"};
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// n_rss_growth_kib: resident memory that the second to the last of ten batches added.
void bm_ask_memory(benchmark::State& state) {
  constexpr uint64_t batch_size = 100'000;
  rig it;
  auto target = spawn_answerer(it, place::same_loop);
  auto driver = caf_app::spawn_on<asker>(
      it.system, it.driver_loop(place::same_loop),
      [target](asker* self, uint64_t size) { ask_next<api::ask>(self, target, size); });
  double warm = 0;
  uint64_t batches = 0;
  run_batches(state, it.system, driver, batch_size, [&] {
    if (++batches == 1)
      warm = rss_kib();
  });
  state.counters["n_rss_growth_kib"] = rss_kib() - warm;
  end(target);
  state.SetLabel("1,000,000 asks");
}
BENCHMARK(bm_ask_memory)->Iterations(10)->UseManualTime();

} // namespace

BENCHMARK_MAIN();
