// The control plane of the registry: answers the questions of tools. The table itself is shared
// data, so this actor can be killed and restarted at any time without losing a name, a member or an
// event.
#pragma once

#include <memory>

#include <caf/behavior.hpp>

#include "caf_app/registry/named_actor.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

/// Handles names_query and groups_query, and json_request with the methods
/// - "names" {"prefix"?}: [{"name", "holder", "held_ms"}], holder being an actor id
/// - "where_is" {"name"}: {"holder"} or not_found
/// - "groups" {"prefix"?}: [{"group", "members"}], members being actor ids
/// @param table not null
caf::behavior registry_actor(named_actor<"registry">* self, std::shared_ptr<registry> table);

} // namespace caf_app
