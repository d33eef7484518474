// The command line of caf-ctl.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "nodes/cli_page.hpp"
#include "nodes/ctl_commands.hpp"
#include "nodes/ctl_top.hpp"
#include "nodes/ctl_up.hpp"

namespace caf_app {

/// Which node is meant, and how to reach it.
struct ctl_target {
  std::filesystem::path config; ///< a cluster file, which tells the control socket of the node
  std::string node;             ///< its name; empty: the only one of the file
  std::string admin;            ///< URL of an admin listener, instead of `config`
  std::string token;            ///< of that listener
};

/// What was asked for; which parts count depends on the command.
struct ctl_command_line {
  ctl_target target;
  ctl_request request;
  up_options up;
  top_options top;

  /// Whether the command is about all nodes of the file on this host, not about one.
  bool of_host() const { return request.command == "up" || request.command == "down"; }
};

/// Prints help or a complaint where one is due.
/// @returns what was asked for, or the exit status of the process
std::variant<ctl_command_line, int> parse_ctl_command_line(int argc, char** argv);

/// The same for the manual and the completion.
cli_page ctl_page();

} // namespace caf_app
