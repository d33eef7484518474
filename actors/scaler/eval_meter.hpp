// Makes samples from what a dispatcher tells of its load at two moments. Pure. A sum that went
// backwards, or that is not known, is missing in the sample.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <caf/expected.hpp>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

/// The workers of an evaluator by what they do.
struct worker_counts {
  uint64_t max = 0; ///< that there may be
  uint64_t starting = 0;
  uint64_t unbound = 0; ///< idle, and have served nobody yet
  uint64_t bound = 0;   ///< idle
  uint64_t busy = 0;

  uint64_t existing() const { return starting + unbound + bound + busy; }
  bool operator==(const worker_counts&) const = default;
};

/// What the kernel says of a process so far.
struct process_times {
  uint64_t run_ns = 0;   ///< on a core
  uint64_t delay_ns = 0; ///< runnable without a core
};

/// A dispatcher at one moment.
struct eval_sums {
  worker_counts workers;
  uint64_t queue = 0;     ///< calls that wait now
  uint64_t queue_max = 0; ///< that may
  uint64_t compiling = 0; ///< builds
  uint64_t calls = 0;     ///< so far
  uint64_t rejected = 0;  ///< so far
  double busy_us = 0;     ///< of all workers, so far
  /// These four of the last second or so (load_meter of the evaluator).
  std::optional<double> wait_p50_us;
  std::optional<double> wait_p99_us;
  std::optional<double> service_p50_us;
  std::optional<double> service_mean_us;
  std::vector<int> pids;              ///< of the workers
  std::map<int, process_times> times; ///< of those whose times can be read
};

/// Reads what a dispatcher answers to "load", all but `times`. @returns errc::invalid_argument
caf::expected<eval_sums> parse_load(std::string_view text);

/// One evaluator. One thread.
class eval_meter {
public:
  /// @returns the sample of the window since the call before; nothing at the first one
  std::optional<eval_sample> sample(const eval_sums& now, steady::time_point at);

private:
  std::optional<eval_sums> before_;
  steady::time_point before_at_;
  uint64_t seq_ = 0;
};

} // namespace caf_app::scaler
