// Keeps the number of workers of an evaluator right: asks its keeper once per period, lets the
// policy decide, and tells the keeper. Every node with the role scaler runs one per evaluator; the
// one that holds the name of the target acts, the others watch. What they see of the queue tells
// the scaler of web instances whether requests wait for an evaluator.
#pragma once

#include <functional>

#include "actors/scaler/eval_brain.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::scaler {

struct eval_scaler_options {
  eval_brain_options brain;
  std::function<bool(const caf::actor& self)> owns; ///< whether this actor may act now
  std::function<caf::actor()> keeper;               ///< of the target; null: not known now
  std::function<void(const eval_load&, steady::time_point)> tell; ///< eval_pressure::note
  std::function<steady::time_point()> now = steady_now;
};

/// Takes no messages but its own ticks.
caf::behavior eval_scaler_actor(named_actor<"scaler.eval">* self,
                                const eval_scaler_options& options);

} // namespace caf_app::scaler
