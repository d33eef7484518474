// Lends the instances of this node to a scaler on another one: reports when it is asked, carries
// out what it is told. It obeys only the actor that holds the name of the target, so that of two
// that believe to be in charge one is not heard. The other side is remote_fleet.
#pragma once

#include <functional>
#include <memory>

#include "actors/scaler/instance_fleet.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::scaler {

struct fleet_actor_options {
  std::shared_ptr<instance_fleet> fleet;
  std::shared_ptr<scaler_board> board; ///< pin and bounds; shows what the scaler says
  std::function<caf::actor()> master;  ///< who holds the name of the target now; may be null
};

/// Takes json_request of the master: "look", answered with a fleet_report, and orders. errc::denied
/// for anybody else, errc::invalid_argument for an order that is none.
caf::behavior fleet_actor(named_actor<"scaler.fleet">* self, const fleet_actor_options& options);

} // namespace caf_app::scaler
