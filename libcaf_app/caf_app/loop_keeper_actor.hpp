// One actor per event loop, so that loops have their place in the supervision tree: it keeps the
// loop's metrics registered, and shows by its own life that the loop runs actors.
#pragma once

#include "caf_app/loop/loop_metrics.hpp"
#include "caf_app/registry/loop_app_actor.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app {

/// The supervisor `loops` with a child `loop-<index>` per loop. The loops outlive it.
child_spec loops_supervisor(std::vector<event_loop*> loops, metrics_ptr books);

} // namespace caf_app
