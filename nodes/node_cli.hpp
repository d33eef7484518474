// The command line of caf-node.
#pragma once

#include <variant>

#include "nodes/cli_page.hpp"
#include "nodes/node.hpp"

namespace caf_app {

struct node_command_line {
  node_options options;    ///< without entropy
  bool check_only = false; ///< tells what is wrong with the configuration, then ends
};

/// Prints help or a complaint where one is due.
/// @returns what was asked for, or the exit status of the process
std::variant<node_command_line, int> parse_node_command_line(int argc, char** argv);

/// The same for the manual and the completion; `eval-cli` is among its commands.
cli_page node_page();

} // namespace caf_app
