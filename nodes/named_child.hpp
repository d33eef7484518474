// A supervised actor that holds a name: registered at each start, so the name comes back after a
// restart.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app {

/// Where a name is known.
enum class name_scope {
  node,    ///< on this node; a start fails while another actor holds it
  cluster, ///< everywhere; while an actor of another node holds it, ours stands by
};

/// @param id of the child, and its name
/// @param spawn starts the actor
child_spec named_child(std::shared_ptr<registry> names, std::string id,
                       std::function<caf::actor(caf::actor_system&)> spawn,
                       name_scope scope = name_scope::node);

} // namespace caf_app
