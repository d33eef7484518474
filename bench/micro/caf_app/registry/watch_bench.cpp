// Goal: what it costs to watch an actor, to stop it and to learn of its end, all three until the
// down message has been handled, beside CAF's monitors. Not measured: actors of other nodes, and
// the start of the watched actors.
#include <vector>

#include "caf_app/registry/loop_app_actor.hpp"
#include "support/actor_rig.hpp"

namespace {

using namespace bench;
using watcher = driver<caf_app::loop_app_actor>;

class mortal : public caf_app::loop_actor<> {
public:
  using caf_app::loop_actor<>::loop_actor;
  caf::behavior make_behavior() override {
    return {[this](uint64_t) { quit(caf::exit_reason::user_shutdown); }};
  }
};

enum class api { watch, caf_monitor };

/// One after the other: the next one is watched when the end of the last one is known.
template <api Api>
void bm_monitor_setup(benchmark::State& state) {
  constexpr uint64_t batch_size = 1000;
  rig it;
  const auto where = static_cast<place>(state.range(0));
  std::vector<caf::actor> targets;
  const auto refill = [&] {
    targets.clear();
    for (uint64_t i = 0; i < batch_size; ++i)
      targets.push_back(caf_app::spawn_on<mortal>(it.system, it.peer_loop(where)));
  };
  refill();
  std::function<void(watcher*, uint64_t)> next = [&](watcher* self, uint64_t left) {
    if (left == 0)
      return self->finish();
    const auto& target = targets[left - 1];
    if constexpr (Api == api::watch)
      self->watch(target, [&next, self, left](const caf_app::down&) { next(self, left - 1); });
    else
      self->monitor(target);
    self->send(target, left);
  };
  uint64_t left = 0; // of the driver, for CAF's monitors
  auto driver = caf_app::spawn_on<watcher>(
      it.system, it.driver_loop(where), [&](watcher* self, uint64_t size) {
        left = size;
        if constexpr (Api == api::caf_monitor)
          self->set_down_handler([&, self](caf::down_msg&) { next(self, --left); });
        next(self, size);
      });
  run_batches(state, it.system, driver, batch_size, refill);
  for (auto& each : targets)
    end(each);
  state.SetLabel(to_string(where));
}
BENCHMARK_TEMPLATE(bm_monitor_setup, api::watch)
    ->Name("bm_monitor_setup")
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime();
BENCHMARK_TEMPLATE(bm_monitor_setup, api::caf_monitor)
    ->Name("bm_caf_monitor_setup")
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime();

} // namespace

BENCHMARK_MAIN();
