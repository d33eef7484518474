// What a loop shows in /metrics, each with the label loop="<index>":
//
//   caf_loop_busy_seconds       time spent not waiting, only grows; its rate is the utilisation
//   caf_loop_utilisation_ratio  the same between two scrapes at least one second apart
//   caf_loop_lag_seconds        worst lateness of a tick in the last ten to twenty seconds, or the
//                               age of the pass that runs now if that is worse
//   caf_loop_sockets            open sockets, listening ones included
#pragma once

#include <vector>

#include "caf_app/base/metrics.hpp"

namespace caf_app {

class event_loop;

/// Keeps the metrics of a loop registered; destroyed before the loop.
class loop_metrics {
public:
  /// Registers all of the above; `loop` outlives this.
  loop_metrics(metrics& registry, const event_loop& loop);

private:
  std::vector<metrics::observer> observers_;
};

} // namespace caf_app
