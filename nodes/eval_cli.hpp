// `caf-node eval-cli`: the evaluator's API as JSON lines, without a cluster file and without a
// network. One {method, path, body} a line in, one {status, body} a line out, in order.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "nodes/cli_page.hpp"

namespace caf_app {

struct eval_cli_options {
  std::filesystem::path data_dir;     ///< builds are kept there
  std::vector<std::string> overrides; ///< `eval.KEY=VALUE`
  std::string entropy;                ///< at least 32 random bytes
};

/// Serves until `in` ends.
/// @returns the exit status: 0; 1 if a status was 400 or more or the start failed; 2 if an option
///   was refused
int run_eval_cli(const eval_cli_options& options, std::istream& in, std::ostream& out,
                 std::ostream& complaints);

/// Parses the rest of the command line, then serves standard input.
/// @param entropy see eval_cli_options
/// @returns the exit status
int eval_cli_main(int argc, char** argv, std::string entropy);

/// Its command line, for the manual and the completion of caf-node.
cli_page eval_cli_page();

} // namespace caf_app
