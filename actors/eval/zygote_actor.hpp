// The zygote of a ready build: loaded and initialised once, forks workers on request.
//
// Detached, because it waits for a process: a few milliseconds for a fork, at most the handshake
// timeout. Its thread is the parent that the zygote dies with. It ends with its dispatcher.
#pragma once

#include <memory>
#include <string>

#include "actors/eval/evaluator_base.hpp"

namespace caf_app::eval {

struct zygote_options {
  std::shared_ptr<const toolchain> tools;
  std::string driver; ///< path
  caf::actor dispatcher;
  std::shared_ptr<owned_fd> output; ///< what the driver and its workers print
};

/// Spawns one. Takes fork_worker, answers the dispatcher with forked_worker. A zygote that died is
/// started again once per request.
caf::actor spawn_zygote(caf::actor_system& system, zygote_options options);

} // namespace caf_app::eval
