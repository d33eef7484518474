// `caf-ctl top`: the nodes of the cluster, live, as text.
#pragma once

#include <chrono>
#include <iosfwd>

#include "nodes/ctl_commands.hpp"

namespace caf_app {

struct top_options {
  bool once = false;                      ///< one snapshot, then the end
  std::chrono::milliseconds period{1000}; ///< between two looks
};

/// Shows each period how the nodes do that the client's node knows. On a terminal the screen is
/// drawn anew until `q`, Ctrl-C or SIGTERM, and then given back as it was; elsewhere snapshots
/// follow each other as plain text until the reader goes.
/// @returns unreachable if the first question has no answer
ctl_status run_top(const admin_client& client, const top_options& options, std::ostream& err);

} // namespace caf_app
