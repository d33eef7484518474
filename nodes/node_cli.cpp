#include "nodes/node_cli.hpp"

#include <CLI/CLI.hpp>

#include "nodes/eval_cli.hpp"

namespace caf_app {

namespace {

void declare(CLI::App& cli, node_command_line& out) {
  auto& options = out.options;
  cli.description("Runs one node of a cluster file in the foreground; logs go to stderr.");
  cli.set_version_flag("--version", "caf-node " CAF_APP_VERSION, "the version of this program");
  cli.add_option("--config", options.config_file, "cluster file (TOML)")
      ->type_name("FILE")
      ->required();
  cli.add_option("--name", options.name, "name of the [[node]] to run")->type_name("NAME");
  cli.add_option("--instance", options.instance,
                 "runs an extra web instance of the node, as its scaler does: <node>.<number>")
      ->type_name("NAME");
  cli.add_option("--set", options.overrides,
                 "overrides a key of the file, for example http.loops=2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  cli.add_flag("--check", out.check_only, "validates the file and exits");
  cli.footer(
      "Output: \"ready NAME ADDRESS...\" on stdout once the node serves.\n"
      "Exit status: 0 after a clean stop, 1 if the start failed or the stop was not clean, 2 "
      "on a bad command line or configuration.\n"
      "Signals: SIGTERM and SIGINT drain the node and stop it, a second one ends it at once; "
      "SIGHUP reads the cluster file again.\n"
      "See also: \"caf-node eval-cli --help\", the evaluator alone; CONFIGURATION.md has every key "
      "of "
      "the cluster file; caf-ctl(1).");
}

} // namespace

std::variant<node_command_line, int> parse_node_command_line(int argc, char** argv) {
  node_command_line result;
  CLI::App cli;
  declare(cli, result);
  try {
    cli.parse(argc, argv);
    if (result.options.name.empty() && !result.check_only)
      throw CLI::RequiredError("--name");
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? 0 : 2;
  }
  return result;
}

cli_page node_page() {
  node_command_line unused;
  CLI::App cli;
  declare(cli, unused);
  auto page = page_of(cli, "caf-node");
  page.commands.push_back(eval_cli_page());
  return page;
}

} // namespace caf_app
