#include "caf_app/cluster/phi_detector.hpp"

#include <algorithm>
#include <cmath>

namespace caf_app {

namespace {

double seconds(phi_detector::clock::duration d) { return std::chrono::duration<double>(d).count(); }

} // namespace

void phi_detector::heartbeat(clock::time_point now) {
  // A pause that was accepted says nothing about the rhythm, and would hide the next one.
  const auto interval = std::min(seconds(now - last_), 2 * seconds(opts_.interval));
  last_ = now;
  intervals_.push_back(interval);
  sum_ += interval;
  squares_ += interval * interval;
  if (intervals_.size() <= opts_.samples)
    return;
  sum_ -= intervals_.front();
  squares_ -= intervals_.front() * intervals_.front();
  intervals_.pop_front();
}

double phi_detector::phi(clock::time_point now) const {
  const auto n = static_cast<double>(intervals_.size());
  const auto mean = intervals_.empty() ? seconds(opts_.interval) : sum_ / n;
  const auto variance = intervals_.empty() ? 0.0 : std::max(0.0, squares_ / n - mean * mean);
  const auto deviation =
      std::clamp(std::sqrt(variance), seconds(opts_.deviation_min), seconds(opts_.deviation_max));
  const auto y = (seconds(now - last_) - mean - seconds(opts_.acceptable_pause)) / deviation;
  // P(later) of the normal distribution; erfc keeps its precision in the tail.
  const auto later = 0.5 * std::erfc(y / std::sqrt(2.0));
  return later < 1e-300 ? 300 : -std::log10(later);
}

} // namespace caf_app
