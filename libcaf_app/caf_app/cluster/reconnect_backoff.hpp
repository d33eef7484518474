// How long a dialler waits before it tries again: twice as long each time, with jitter, so that the
// nodes of a restarted cluster do not dial in step.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

#include "caf_app/base/limits.hpp"

namespace caf_app {

/// Waits between dials of one peer, with jitter.
class reconnect_backoff {
public:
  using duration = std::chrono::milliseconds;

  /// The first step and the longest.
  struct options {
    duration first = limits::cluster::backoff_first;
    duration max = limits::cluster::backoff_max;
  };

  reconnect_backoff(const options& opts, uint32_t seed)
      : opts_(opts), step_(opts.first), random_(seed) {}

  /// @returns the next wait: between half of the step and the whole of it. The steps double.
  duration next() {
    const auto half = step_.count() / 2;
    const duration wait{half + static_cast<int64_t>(random_() % static_cast<uint64_t>(half + 1))};
    step_ = std::min(step_ * 2, opts_.max);
    return wait;
  }

  /// A link was established and has proved its worth.
  void reset() noexcept { step_ = opts_.first; }

private:
  options opts_;
  duration step_;
  std::mt19937 random_;
};

} // namespace caf_app
