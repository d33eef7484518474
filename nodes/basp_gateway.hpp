// A door for plain CAF programs: one actor, published over BASP on loopback, that turns names into
// handles. Off by default; between nodes there are links (adr/0011-links.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <caf/all.hpp>

#include "caf_app/base/address.hpp"
#include "caf_app/registry/named_actor.hpp"
#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app {

/// Answers a text, or caf::get_atom and a text, with a handle that reaches whoever holds that name
/// at the time of each message; not_found if nobody does now.
caf::behavior basp_gateway(named_actor<"gateway">* self, std::shared_ptr<const registry> names);

/// Makes a system speak BASP; before it exists.
void load_basp(caf::actor_system_config& config);

/// Publishes a gateway at a loopback address, and takes away what CAF lets any client do: spawn
/// actors and write the configuration. Blocks for a moment; not on an actor's thread.
/// @pre load_basp() was called for the configuration of the system
/// @param where nothing: there is none
/// @param children of the root supervisor; gets the gateway
/// @returns errc::start_failed
caf::error start_gateway(caf::actor_system& system, const std::shared_ptr<const registry>& names,
                         const std::optional<host_port>& where, std::vector<child_spec>& children);

} // namespace caf_app
