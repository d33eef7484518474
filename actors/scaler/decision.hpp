// What the policy decides in one tick.
#pragma once

#include <cstdint>
#include <string>

#include "actors/scaler/reading.hpp"

namespace caf_app::scaler {

enum class action : uint8_t { hold, grow, shrink, rebalance };

/// The rule that stopped an action.
enum class hold_rule : uint8_t {
  none, ///< nothing was to be done
  unknown,
  change_in_progress,
  draining,
  up_samples,
  up_cooldown,
  at_max,
  at_min,
  host_bound,
  mixed_without_gain,
  no_gain,
  low_memory,
  failed_backoff,
  quiet_window,
  down_cooldown,
  after_panic,
  not_owner,
};

std::string to_string(action);
std::string to_string(hold_rule);

struct decision {
  action what = action::hold;
  size_t from = 0; ///< instances that count: ready and starting
  size_t wanted = 0;
  std::string victim; ///< of a shrink; of a growth: one whose drain is revoked
  reason why = reason::low_load;
  hold_rule held_by = hold_rule::none;
  bool applied = false;
  bool panic = false;
  reading inputs;

  bool operator==(const decision&) const = default;
};

} // namespace caf_app::scaler
