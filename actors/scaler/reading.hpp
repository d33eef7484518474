// What the classifier says about one tick: the verdict, why, and the numbers it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf_app::scaler {

/// What limits the target, in the order in which it is looked for.
enum class verdict : uint8_t {
  unknown,        ///< a sample is missing or too old
  imbalance,      ///< one instance is full, another could go
  host_bound,     ///< busy, but the host has no core for more
  mixed,          ///< busy, and requests wait for others too
  web_bound,      ///< busy: one more would help
  eval_bound,     ///< requests wait for an evaluator; of an evaluator: calls wait for workers
  upstream_bound, ///< requests wait for an upstream that is full
  slow_upstream,  ///< requests wait for others, which are not full
  idle,           ///< one less would do
  in_band,        ///< neither more nor less
};

constexpr size_t verdict_count = static_cast<size_t>(verdict::in_band) + 1;

/// Why, as logs and metrics say it.
enum class reason : uint8_t {
  samples_missing,
  samples_stale,
  clock_jump,
  skewed,
  host_contended, ///< runnable without a core
  cpu_throttled,  ///< by the quota of the cgroup
  loop_and_upstream,
  loop_busy,
  accept_queue, ///< as long as a panic asks for
  eval_queue,
  upstream_queue, ///< requests wait for room at a server
  fpm_full,       ///< no idle worker of PHP-FPM
  backlog_full,   ///< connects met a full backlog
  upstream_wait,
  low_load,
  between_thresholds,
  // of the policy
  pinned,
  below_min,
  above_max,
  panic,
  no_gain,
  start_failed,
  instance_failed,
  steer_failed,
  workers_busy,  ///< of an evaluator, and calls wait longer than they take
  eval_at_max,   ///< requests wait for evaluators that can have no more workers
  drain_revoked, ///< a retirement is taken back instead of a launch
};

constexpr size_t reason_count = static_cast<size_t>(reason::drain_revoked) + 1;

std::string to_string(verdict);
std::string to_string(reason);

struct reading {
  verdict what = verdict::unknown;
  reason why = reason::samples_missing;

  // The inputs, as the log shows them. Without samples: empty.
  size_t n = 0;                     ///< ready instances; workers that there may be
  std::optional<double> u;          ///< 0..1: busy share, the mean over all loops or workers
  std::optional<double> u_max;      ///< of the busiest loop
  std::optional<double> u_min;      ///< of the busiest loop of the instance that is least so
  double w = 0;                     ///< 0..1: share of request time spent waiting for others
  std::optional<double> run_delay;  ///< 0..1: share of time runnable without a core
  std::optional<double> idle_cores; ///< of the host
  uint64_t accept_queue_peak = 0;   ///< connections; of an evaluator: calls that wait
  double lag_us = 0;                ///< of the loop that lags most
  double rps = 0;                   ///< requests or calls per second
  std::optional<uint64_t> memory_available; ///< bytes
  std::vector<std::string> missing;         ///< instances without a fresh sample

  /// Whether one less would still be fine, as far as this tick tells.
  bool allows_shrink = false;

  bool operator==(const reading&) const = default;
};

} // namespace caf_app::scaler
