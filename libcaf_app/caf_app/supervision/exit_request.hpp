// Telling an actor to end.
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>

namespace caf_app {

/// Sends an exit message. A kill overtakes what is queued already; any other reason is handled
/// after it. Never use `normal`: CAF ignores it.
/// @param from who wants it; may be null
void request_exit(const caf::actor& to, caf::actor_addr from, caf::error reason);

} // namespace caf_app
