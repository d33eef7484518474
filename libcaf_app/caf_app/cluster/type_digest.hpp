// Nodes whose messages differ do not understand each other: a digest of the names of all registered
// message types is part of the hello.
#pragma once

#include <cstdint>

#include <caf/fwd.hpp>

namespace caf_app {

/// Equal for equal sets of registered types, whatever the order of their registration: those of
/// caf_app and those of the application. CAF's own do not count: versions of CAF differ in them,
/// and a node with a gateway has more of them.
uint64_t type_digest(const caf::actor_system_config& config);

} // namespace caf_app
