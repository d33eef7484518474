// Tells an actor system of our message types and error codes. One compiled function, because
// registering them instantiates the serialization of every type, which takes seconds per file.
#pragma once

#include <caf/actor_system_config.hpp>

namespace caf_app {

/// Call before the actor system is made.
void add_messages(caf::actor_system_config& config);

} // namespace caf_app
