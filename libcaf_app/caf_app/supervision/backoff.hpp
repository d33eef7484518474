// How long to wait before the next restart of a child that keeps failing. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

#include "caf_app/base/limits.hpp"

namespace caf_app {

/// How delays grow; `max` is not below `first`.
struct backoff_options {
  std::chrono::milliseconds first = limits::supervision::backoff_first; ///< 0: never waits
  std::chrono::milliseconds max = limits::supervision::backoff_max;
  double jitter = 0.1; ///< a delay is drawn from d * [1 - jitter, 1 + jitter]; 0..1
  uint32_t seed = 1;   ///< of the generator; equal seeds give equal delays
  bool at_once = true; ///< the first restart of a streak does not wait
};

/// Delays double from `first` to `max`.
class backoff {
public:
  explicit backoff(backoff_options options) : options_(options), random_(options.seed) {}

  /// @param streak restarts of this child since it was last stable, 0 for the first
  std::chrono::nanoseconds delay(size_t streak);

private:
  backoff_options options_;
  std::mt19937 random_;
};

} // namespace caf_app
