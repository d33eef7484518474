#include "caf_app/registry/actor_hooks.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace caf_app {

hook_carrier::~hook_carrier() = default;

actor_hooks* hooks_of(const caf::actor_system& system) {
  const auto* carrier = dynamic_cast<const hook_carrier*>(&system.config());
  return carrier ? carrier->hooks().get() : nullptr;
}

} // namespace caf_app
