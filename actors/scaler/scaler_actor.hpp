// Keeps the number of instances of a node right: looks at samples once per period, lets the policy
// decide, and tells the fleet. Everything that could be wrong about a decision is pure and
// elsewhere. A restarted one goes on with the instances that it finds.
//
// A node that has instances but not the role scaler is looked after from elsewhere: every node with
// the role runs a remote_scaler_actor for it, and the one that holds the name of its target acts.
// The others wait in line for that name.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/scaler/remote_fleet.hpp"
#include "actors/scaler/scaler_brain.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::scaler {

struct scaler_actor_options {
  scaler_brain_options brain;
  std::function<bool(const caf::actor& self)> owns; ///< whether this actor may act now
};

/// Takes no messages but its own ticks and the news of its fleet.
caf::behavior scaler_actor(named_actor<"scaler">* self, const scaler_actor_options& options);

struct remote_scaler_options {
  scaler_actor_options scaler;         ///< its fleet is `fleet`
  std::shared_ptr<remote_fleet> fleet; ///< what is known of the instances
  std::function<caf::actor()> keeper;  ///< the fleet_actor of the target; null: not known now
};

/// The same for instances elsewhere. While it does not own the name it remembers nothing.
caf::behavior remote_scaler_actor(named_actor<"scaler">* self,
                                  const remote_scaler_options& options);

} // namespace caf_app::scaler
