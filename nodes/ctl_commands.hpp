// The commands of caf-ctl: each is one call of the admin interface and a way to show the answer.
#pragma once

#include <iosfwd>
#include <string>

#include "nodes/admin_client.hpp"

namespace caf_app {

/// What the command line said.
struct ctl_request {
  std::string command;  ///< "status", "ask", ...
  std::string name;     ///< of an actor, a group, a node, or a path of the tree
  std::string body;     ///< JSON
  std::string timeout;  ///< of an ask, "5s"
  bool all = false;     ///< decisions: also those that repeat
  bool as_json = false; ///< machine-readable output
};

/// Exit statuses of caf-ctl: the node said no; options or configuration; nobody answers.
enum class ctl_status { ok = 0, refused = 1, usage = 2, unreachable = 3 };

/// Runs one command. Results go to `out`, complaints to `err`.
ctl_status run_command(const admin_client& client, const ctl_request& request, std::ostream& out,
                       std::ostream& err);

} // namespace caf_app
