// What all links of a node share.
#pragma once

#include <caf/actor_system.hpp>

#include "caf_app/cluster/actor_directory.hpp"
#include "caf_app/cluster/cluster_counters.hpp"
#include "caf_app/loop/event_loop.hpp"

namespace caf_app {

/// Lives longer than the links.
struct link_context {
  link_context(caf::actor_system& sys, event_loop* on) : system(sys), loop(on), exposed(sys) {}

  caf::actor_system& system;
  event_loop* loop; ///< of all links; null: frames are taken by hand, as in tests
  actor_directory exposed;
  cluster_counters counters;
};

} // namespace caf_app
