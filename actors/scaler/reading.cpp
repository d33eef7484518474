#include "actors/scaler/reading.hpp"

namespace caf_app::scaler {

std::string to_string(verdict x) {
  switch (x) {
    case verdict::unknown: return "unknown";
    case verdict::imbalance: return "imbalance";
    case verdict::host_bound: return "host_bound";
    case verdict::mixed: return "mixed";
    case verdict::web_bound: return "web_bound";
    case verdict::eval_bound: return "eval_bound";
    case verdict::upstream_bound: return "upstream_bound";
    case verdict::slow_upstream: return "slow_upstream";
    case verdict::idle: return "idle";
    case verdict::in_band: return "in_band";
  }
  return "";
}

std::string to_string(reason x) {
  switch (x) {
    case reason::samples_missing: return "samples_missing";
    case reason::samples_stale: return "samples_stale";
    case reason::clock_jump: return "clock_jump";
    case reason::skewed: return "skewed";
    case reason::host_contended: return "host_contended";
    case reason::cpu_throttled: return "cpu_throttled";
    case reason::loop_and_upstream: return "loop_and_upstream";
    case reason::loop_busy: return "loop_busy";
    case reason::accept_queue: return "accept_queue";
    case reason::eval_queue: return "eval_queue";
    case reason::upstream_queue: return "upstream_queue";
    case reason::fpm_full: return "fpm_full";
    case reason::backlog_full: return "backlog_full";
    case reason::upstream_wait: return "upstream_wait";
    case reason::low_load: return "low_load";
    case reason::between_thresholds: return "between_thresholds";
    case reason::pinned: return "pinned";
    case reason::below_min: return "below_min";
    case reason::above_max: return "above_max";
    case reason::panic: return "panic";
    case reason::no_gain: return "no_gain";
    case reason::start_failed: return "start_failed";
    case reason::instance_failed: return "instance_failed";
    case reason::steer_failed: return "steer_failed";
    case reason::workers_busy: return "workers_busy";
    case reason::eval_at_max: return "eval_at_max";
    case reason::drain_revoked: return "drain_revoked";
  }
  return "";
}

} // namespace caf_app::scaler
