// The sample actors of role `demo`: what an application developer would write, small enough to
// copy.
//
//   greeter   greets by name; has a JSON and an HTTP face; lives on an event loop
//   counter   keeps a number; "crash" shows a restart, which loses it
//   ticker    publishes {"tick": n} to the group `ticks` once per second
//   listener-1, listener-2  members of `ticks` that count what they hear
#pragma once

#include <memory>
#include <vector>

#include "caf_app/loop/event_loop.hpp"
#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app::demo {

/// The supervisor of all sample actors, `demo` in the tree.
/// @param loop of the greeter; null: it is scheduled like the others
child_spec demo_supervisor(std::shared_ptr<registry> names, event_loop* loop);

} // namespace caf_app::demo
