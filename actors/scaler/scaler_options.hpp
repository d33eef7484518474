// What the scaler may and shall do: the keys of [scaler], and the fixed numbers of its rules.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "actors/scaler/reading.hpp"

namespace caf_app::scaler {

using milliseconds = std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Of whom a period asks; one that is late is asked again in the next.
inline constexpr seconds answer_time{1};

/// The same for the workers of an evaluator.
struct eval_bounds {
  bool enabled = false;   ///< otherwise the evaluator has as many as its own section says
  size_t min_workers = 1; ///< never fewer
  size_t max_workers = 0; ///< 0: one per core
};

/// Thresholds are shares of 0 to 1.
struct scaler_options {
  bool enabled = true;                  ///< nodes with the role scaler run it
  bool dry_run = false;                 ///< decides and logs, does not act
  size_t min_instances = 1;             ///< never fewer
  size_t max_instances = 0;             ///< 0: max(2, 1.5 x cores)
  milliseconds period{200};             ///< of samples and decisions
  milliseconds stale_after{1'000};      ///< older samples are missing; at least two periods
  double up = 0.75;                     ///< loop utilisation that asks for one more
  double down = 0.35;                   ///< what the rest would have with one less
  size_t up_samples = 3;                ///< in a row, before it grows
  milliseconds up_cooldown{1'000};      ///< from a newcomer's readiness to the next growth
  milliseconds warmup{2'000};           ///< until a newcomer's gain is judged
  milliseconds quiet_window{30'000};    ///< all samples in it must allow a shrink
  milliseconds down_cooldown{10'000};   ///< from any change to a shrink
  uint64_t panic_queue = 64;            ///< queued connections that make a panic
  milliseconds panic_lag{100};          ///< loop lag that does
  double gain_min = 0.10;               ///< of requests/s that a newcomer has to add
  milliseconds gain_memory{300'000};    ///< how long a count without gain is avoided
  milliseconds rebalance_window{2'000}; ///< of steering toward the emptiest instance
  milliseconds start_timeout{10'000};   ///< from the launch of an instance until it is ready
  milliseconds failed_backoff{10'000};  ///< pause after a failed start; doubles
  milliseconds retire_deadline{90'000}; ///< then what still runs on a retired instance is cut
  std::string instance_ports;           ///< of links that instances dial; empty: any
  eval_bounds eval;

  // -- fixed -------------------------------------------------------------------------

  double panic_busy = 0.95;     ///< of the busiest loop: a queue or lag with less is no panic
  double waiting_share = 0.5;   ///< of request time spent on others: the web tier is not the limit
  double run_delay_high = 0.20; ///< share of time runnable without a core
  double throttled_high = 0.10; ///< share of time that the cgroup's quota held us back
  double idle_cores_low = 0.3;  ///< used without schedstat
  double own_cores_low = 0.9;   ///< cores per busy loop that we get on a host of our own
  uint64_t memory_min_bytes = 128ULL << 20; ///< available, for another instance
  milliseconds flap_span{60'000};           ///< a growth so soon after a shrink is a flap
  milliseconds flap_memory{300'000};        ///< without a flap halves the penalty
  unsigned flap_factor_max = 8;             ///< of the quiet window; each flap doubles it
  milliseconds failed_backoff_max{300'000}; ///< however many starts fail
  unsigned jump_periods = 10;               ///< a tick later than that says that the clock jumped
  size_t gain_samples = 3;                  ///< whose mean is compared, before a growth and after
  milliseconds log_period{30'000};          ///< a line even if nothing happens
  verdict grows_on = verdict::web_bound;    ///< asks for more
  size_t growth_share = 0; ///< a step up is one of so many parts of what is there; 0: one
};

/// @param cores that the process may use, at least one
/// @returns how many instances there may be
inline size_t effective_max(const scaler_options& options, size_t cores) {
  const auto wanted =
      options.max_instances > 0 ? options.max_instances : std::max<size_t>(2, (3 * cores + 1) / 2);
  return std::max(wanted, options.min_instances);
}

/// @param cores of the host of the evaluator, at least one
/// @returns how many workers there may be
inline size_t effective_max_workers(const eval_bounds& bounds, size_t cores) {
  return std::max(
      {bounds.max_workers > 0 ? bounds.max_workers : cores, bounds.min_workers, size_t{1}});
}

/// What the policy is given to scale the workers of an evaluator instead of instances.
/// @param queue_max calls that the evaluator lets wait
inline scaler_options eval_policy_options(scaler_options options, uint64_t queue_max) {
  options.min_instances = options.eval.min_workers;
  options.grows_on = verdict::eval_bound;
  options.growth_share = 4;
  options.rebalance_window = milliseconds{0}; // calls stick to nobody
  options.panic_busy = 0;                     // a queue that is half full says enough
  options.panic_queue = std::max<uint64_t>((queue_max + 1) / 2, 1);
  return options;
}

} // namespace caf_app::scaler
