// The workers that an evaluator may have, as the policy sees instances: a slot each. Which one goes
// is the evaluator's choice; the order here is the same: places that nobody has, idle workers
// without a key, idle ones with one. A worker at work is never a victim. Pure.
#pragma once

#include <optional>
#include <vector>

#include "actors/scaler/eval_meter.hpp"
#include "actors/scaler/policy.hpp"

namespace caf_app::scaler {

/// One evaluator. One thread.
class worker_slots {
public:
  /// New slots count as starting in the look that sees them first, so that the policy notices when
  /// they are ready; workers beyond the slots count as draining.
  std::vector<instance_fact> look(const worker_counts& workers);

private:
  std::optional<uint64_t> known_; // slots at the look before
};

} // namespace caf_app::scaler
