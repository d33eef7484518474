// How surprising is the silence of a peer, given the rhythm of its heartbeats so far? The accrual
// detector of Hayashibara et al. ("The phi accrual failure detector", 2004) with the normal
// distribution and the bounds that Akka and Pekko add: a pause that is always accepted, and limits
// for the deviation.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

#include "caf_app/base/limits.hpp"

namespace caf_app {

/// Suspects one peer by the rhythm of its heartbeats.
class phi_detector {
public:
  using clock = std::chrono::steady_clock;

  /// Deviations bound the measured one; `samples` intervals are remembered.
  struct options {
    clock::duration interval = limits::cluster::heartbeat; ///< expected, until there is a rhythm
    clock::duration acceptable_pause = limits::cluster::acceptable_pause;
    clock::duration deviation_min = std::chrono::milliseconds{100};
    clock::duration deviation_max = std::chrono::milliseconds{300};
    double threshold = limits::cluster::phi_threshold;
    size_t samples = 100;
  };

  /// @param now counts as the first heartbeat
  phi_detector(const options& opts, clock::time_point now) : opts_(opts), last_(now) {}

  /// A heartbeat has arrived at `now`, which never runs backwards.
  void heartbeat(clock::time_point now);

  /// -log10 of the probability that a living peer is silent for so long; at most 300.
  double phi(clock::time_point now) const;

  /// Whether phi is below the threshold.
  bool available(clock::time_point now) const { return phi(now) < opts_.threshold; }

private:
  options opts_;
  clock::time_point last_;
  std::deque<double> intervals_; // seconds
  double sum_ = 0;
  double squares_ = 0;
};

} // namespace caf_app
