// A supervised actor that holds a name: registered at each start, so the name comes back after a
// restart.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app {

/// @param id of the child, and its name
/// @param spawn starts the actor
child_spec named_child(std::shared_ptr<registry> names, std::string id,
                       std::function<caf::actor(caf::actor_system&)> spawn);

} // namespace caf_app
