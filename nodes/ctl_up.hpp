// `caf-ctl up` and `caf-ctl down`: all nodes of a cluster file that belong to this host, as child
// processes of `up`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "nodes/ctl_commands.hpp"
#include "nodes/node_config.hpp"

namespace caf_app {

struct up_options {
  std::filesystem::path config_file;  ///< is handed on to each node
  std::filesystem::path program;      ///< of a node; empty: caf-node beside this program
  std::vector<std::string> overrides; ///< `--set` options, passed on to each node
};

/// Starts the nodes and supervises them until a signal comes or the last one has ended; then stops
/// those that are left. Each `ready` line of a node goes to stdout, whatever else they print to
/// stderr, each line with the node's name before it.
/// @pre block_signals() was called
/// @returns refused if a node was given up, or did not stop in order
ctl_status run_up(const up_options& options, const node_config& config, std::ostream& err);

/// Drains the nodes and waits until they are gone.
/// @returns refused if one of them still runs after the hard deadline of its shutdown
ctl_status run_down(const cluster_config& config, std::ostream& out, std::ostream& err);

} // namespace caf_app
