// Reads what the processes of a build print and hands it to the builds actor, one piece at a time:
// who prints faster than files are written, waits.
#pragma once

#include <string>

#include "actors/eval/evaluator_base.hpp"

namespace caf_app::eval {

/// Spawns one on `loop`; it ends when nobody can print any more.
/// @param socket a stream socket, readable end
caf::actor spawn_output(caf::actor_system& system, event_loop* loop, std::string build,
                        caf::actor builds, owned_fd socket);

} // namespace caf_app::eval
