// What the classifier says about one tick: the verdict, why, and the numbers it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf_app::scaler {

enum class verdict : uint8_t {
  unknown,
  imbalance,
  host_bound,
  mixed,
  web_bound,
  eval_bound,
  upstream_bound,
  slow_upstream,
  idle,
  in_band,
};

constexpr size_t verdict_count = static_cast<size_t>(verdict::in_band) + 1;

enum class reason : uint8_t {
  samples_missing,
  samples_stale,
  clock_jump,
  skewed,
  host_contended,
  cpu_throttled,
  loop_and_upstream,
  loop_busy,
  accept_queue,
  eval_queue,
  upstream_queue,
  fpm_full,
  backlog_full,
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
  workers_busy,
  eval_at_max,
  drain_revoked,
};

constexpr size_t reason_count = static_cast<size_t>(reason::drain_revoked) + 1;

std::string to_string(verdict);
std::string to_string(reason);

struct reading {
  verdict what = verdict::unknown;
  reason why = reason::samples_missing;

  // The inputs, as the log shows them. Without samples: empty.
  size_t n = 0; ///< ready instances
  std::optional<double> u;
  std::optional<double> u_max;
  std::optional<double> u_min;
  double w = 0; ///< share of request time spent waiting for others
  std::optional<double> run_delay;
  std::optional<double> idle_cores;
  uint64_t accept_queue_peak = 0;
  double lag_us = 0;
  double rps = 0;
  std::optional<uint64_t> memory_available;
  std::vector<std::string> missing; ///< instances without a fresh sample

  /// Whether one less would still be fine, as far as this tick tells.
  bool allows_shrink = false;

  bool operator==(const reading&) const = default;
};

} // namespace caf_app::scaler
