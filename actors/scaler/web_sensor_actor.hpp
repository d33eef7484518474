// Measures an instance, once per period, from a scheduler thread and not from a loop: a loop that
// is stuck still gets its sample.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/scaler/web_meter.hpp"
#include "caf_app/loop/event_loop.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::scaler {

struct web_sensor_options {
  std::string instance;
  std::string incarnation;
  std::chrono::milliseconds period{200}; ///< of samples; it looks four times as often
  std::vector<event_loop*> loops;        ///< of the web tier

  /// Fills in all but the loops and what the process itself knows; any thread, must not block.
  std::function<void(web_sums&)> count;

  /// Gets each sample.
  std::function<void(const web_sample&)> publish;
};

/// Takes no messages but its own ticks.
caf::behavior web_sensor_actor(named_actor<"scaler.sensor">* self,
                               const web_sensor_options& options);

} // namespace caf_app::scaler
