// What the policy decides in one tick.
#pragma once

#include <cstdint>
#include <string>

#include "actors/scaler/reading.hpp"

namespace caf_app::scaler {

/// One step: an instance (or a part of the workers) more, one less, or connections that move.
enum class action : uint8_t { hold, grow, shrink, rebalance };

/// The rule that stopped an action.
enum class hold_rule : uint8_t {
  none,               ///< nothing was to be done
  unknown,            ///< samples are missing, or the clock jumped
  change_in_progress, ///< an instance starts, or the gain of the last growth is not known yet
  draining,           ///< one is about to go
  up_samples,         ///< too few in a row ask for more
  up_cooldown,
  at_max,
  at_min,
  host_bound,         ///< one more would have no core
  mixed_without_gain, ///< the last growth at that verdict brought nothing
  no_gain,            ///< that count brought nothing lately (gain_memory)
  low_memory,         ///< below memory_min_bytes
  failed_backoff,     ///< a start failed
  quiet_window,       ///< not all samples in it allow a shrink
  down_cooldown,
  after_panic, ///< it was less than a quiet window ago
  not_owner,   ///< another scaler has the name of the target
};

std::string to_string(action);
std::string to_string(hold_rule);

struct decision {
  action what = action::hold;
  size_t from = 0;    ///< instances that count: ready and starting
  size_t wanted = 0;  ///< how many there shall be
  std::string victim; ///< of a shrink; of a growth: one whose drain is revoked
  reason why = reason::low_load;
  hold_rule held_by = hold_rule::none;
  bool applied = false; ///< it is carried out: no hold, no dry run
  bool panic = false;   ///< a growth that waited for nothing
  reading inputs;

  bool operator==(const decision&) const = default;
};

} // namespace caf_app::scaler
