// Goal: how long a crashed child is away, from the message that ends it until its successor runs.
// Not measured: backoff between restarts (set to none here), the work of the child's own start.
#include <chrono>
#include <utility>

#include "caf_app/supervision/supervisor.hpp"
#include "support/actor_rig.hpp"

namespace {

using namespace bench;
using actor_base = caf_app::loop_actor<>;
using actor_driver = driver<actor_base>;

/// Tells `whom` that it runs; ends at the first number it gets.
class fragile : public caf::event_based_actor {
public:
  fragile(caf::actor_config& cfg, caf::actor whom)
      : caf::event_based_actor(cfg), whom_(std::move(whom)) {}

  caf::behavior make_behavior() override {
    send(whom_, caf::actor_cast<caf::actor>(this));
    return {[this](uint64_t) { quit(caf_app::errc::handler_failed); }};
  }

private:
  caf::actor whom_;
};

/// Crashes each successor as soon as it has reported.
class crasher : public actor_driver {
public:
  explicit crasher(caf::actor_config& cfg, caf_app::event_loop* loop)
      : actor_driver(cfg, loop, [this](actor_driver*, uint64_t size) { begin(size); }) {}

  caf::behavior make_behavior() override {
    caf::message_handler on_report{[this](const caf::actor& child) { on_start(child); }};
    return on_report.or_else(actor_driver::make_behavior());
  }

private:
  void begin(uint64_t size) {
    left_ = size;
    if (child_)
      send(child_, left_);
  }

  void on_start(const caf::actor& child) {
    const bool is_first = !child_;
    child_ = child;
    if (left_ == 0)
      return;
    if (is_first)
      restart();
    else if (--left_ == 0)
      return finish();
    send(child_, left_);
  }

  caf::actor child_;
  uint64_t left_ = 0; // restarts to come in this batch
};

void bm_supervisor_restart(benchmark::State& state) {
  rig it;
  auto driver = caf_app::spawn_on<crasher>(it.system, it.driver_loop(place::worker));
  caf_app::supervisor_options options;
  options.path = "bench";
  options.restart.intensity = 1'000'000'000;
  options.restart.backoff.first = std::chrono::milliseconds{0};
  options.restart.backoff.max = std::chrono::milliseconds{0};
  options.children.push_back({"fragile", [driver](const caf_app::start_context& context) {
                                return caf::actor{context.system.spawn<fragile>(driver)};
                              }});
  auto supervisor = caf_app::spawn_supervisor(it.system, std::move(options));
  run_batches(state, it.system, driver, 100);
  end(supervisor);
  state.SetLabel(to_string(place::worker));
}
BENCHMARK(bm_supervisor_restart)->UseManualTime();

} // namespace

BENCHMARK_MAIN();
