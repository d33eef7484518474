// The clocks of the product, and the only place that reads them outside of an actor: deadlines and
// intervals use `steady`, what people read uses `wall`. Pure code includes this for the names and
// takes `now` as an argument.
#pragma once

#include <chrono>
#include <functional>

namespace caf_app {

using steady = std::chrono::steady_clock;
using wall = std::chrono::system_clock;

/// Where a component gets the time of day from; a test puts its own in.
using wall_source = std::function<wall::time_point()>;

/// Never runs backwards; its origin means nothing.
steady::time_point steady_now();

/// Time of day, UTC. It may be set, so not for intervals.
wall::time_point wall_now();

/// Seconds as metrics want them.
inline double to_seconds(steady::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

} // namespace caf_app
