#include "caf_app/supervision/backoff.hpp"

#include <algorithm>

std::chrono::nanoseconds caf_app::backoff::delay(size_t streak) {
  if (options_.at_once && streak-- == 0)
    return std::chrono::nanoseconds{0};
  const auto doublings = std::min<size_t>(streak, 30); // above that only `max` counts
  const auto full = std::min<std::chrono::nanoseconds>(
      options_.max, std::chrono::nanoseconds{options_.first} * (int64_t{1} << doublings));
  if (full.count() <= 0 || options_.jitter <= 0)
    return std::max(full, std::chrono::nanoseconds{0});
  // Not std::uniform_real_distribution: its results differ between libraries.
  const double unit = static_cast<double>(random_()) / static_cast<double>(std::mt19937::max());
  const double factor = 1 + options_.jitter * (2 * unit - 1);
  return std::chrono::nanoseconds{static_cast<int64_t>(static_cast<double>(full.count()) * factor)};
}
