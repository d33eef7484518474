#include "actors/scaler/decision.hpp"

namespace caf_app::scaler {

std::string to_string(action x) {
  switch (x) {
    case action::hold: return "hold";
    case action::grow: return "grow";
    case action::shrink: return "shrink";
    case action::rebalance: return "rebalance";
  }
  return "";
}

std::string to_string(hold_rule x) {
  switch (x) {
    case hold_rule::none: return "";
    case hold_rule::unknown: return "unknown";
    case hold_rule::change_in_progress: return "change_in_progress";
    case hold_rule::draining: return "draining";
    case hold_rule::up_samples: return "up_samples";
    case hold_rule::up_cooldown: return "up_cooldown";
    case hold_rule::at_max: return "at_max";
    case hold_rule::at_min: return "at_min";
    case hold_rule::host_bound: return "host_bound";
    case hold_rule::mixed_without_gain: return "mixed_without_gain";
    case hold_rule::no_gain: return "no_gain";
    case hold_rule::low_memory: return "low_memory";
    case hold_rule::failed_backoff: return "failed_backoff";
    case hold_rule::quiet_window: return "quiet_window";
    case hold_rule::down_cooldown: return "down_cooldown";
    case hold_rule::after_panic: return "after_panic";
    case hold_rule::not_owner: return "not_owner";
  }
  return "";
}

} // namespace caf_app::scaler
