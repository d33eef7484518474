// What the calls of an evaluator wait and take, for those who decide how many workers it should
// have. Sums that only grow, and the middle of what was seen lately. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace caf_app::eval {

/// Times never run backwards from call to call. One thread.
class load_meter {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  static constexpr std::chrono::seconds span{1}; ///< what is older is not lately
  static constexpr size_t calls_kept = 256;      ///< the last ones, if there were more in it
  static constexpr size_t calls_min = 16;        ///< of services, also if they are older

  /// Quantiles are unset while nothing was seen.
  struct load {
    uint64_t calls = 0;    ///< finished, so far
    uint64_t rejected = 0; ///< refused because a queue or a share was full, so far
    duration busy{};       ///< time of workers that ran a call, summed over the workers, so far
    std::optional<duration> wait_p50; ///< of calls that got a worker, or wait still
    std::optional<duration> wait_p99;
    std::optional<duration> service_p50; ///< of calls that are over
    std::optional<duration> service_mean;
  };

  /// So many workers run calls from now on.
  void busy(size_t workers, time_point now);

  /// A worker got a call.
  void handed_over(duration waited, time_point now);

  /// A call is over.
  void finished(duration served, time_point now);

  /// A call was refused because a queue or a share was full.
  void rejected() noexcept { ++rejected_; }

  /// @param waiting how long calls have been waiting that wait now
  load look(std::vector<duration> waiting, time_point now) const;

private:
  struct seen {
    time_point at;
    duration value;
  };

  static void note(std::deque<seen>& where, duration value, time_point now);

  std::deque<seen> waits_;    // oldest first
  std::deque<seen> services_; // oldest first
  uint64_t calls_ = 0;
  uint64_t rejected_ = 0;
  duration busy_sum_{};
  size_t busy_ = 0;
  time_point busy_since_;
};

} // namespace caf_app::eval
