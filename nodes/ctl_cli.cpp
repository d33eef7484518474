#include "nodes/ctl_cli.hpp"

#include <iostream>

#include <CLI/CLI.hpp>

#include "caf_app/base/nearest.hpp"

namespace caf_app {

namespace {

void add_message(CLI::App& cli, const char* name, const char* help, ctl_request& request,
                 const char* who) {
  auto* command = cli.add_subcommand(name, help);
  command->add_option(who, request.name)->required();
  command->add_option("JSON", request.body,
                      "{\"method\", \"params\"}, or the params of method \"call\"");
  if (std::string_view{name} == "ask")
    command->add_option("--timeout", request.timeout, "for example 5s")->type_name("DURATION");
}

void add_named(CLI::App& cli, const char* name, const char* help, ctl_request& request) {
  cli.add_subcommand(name, help)->add_option("NAME", request.name)->required();
}

void declare_target(CLI::App& cli, ctl_command_line& out) {
  auto& where = out.target;
  cli.add_option("--config", where.config, "cluster file; finds the control socket of the node")
      ->type_name("FILE");
  cli.add_option("--node", where.node, "name of the node, if the file has several")
      ->type_name("NAME");
  cli.add_option("--admin", where.admin, "URL of an admin listener, instead of --config")
      ->type_name("URL");
  cli.add_option("--token", where.token, "token of the admin listener")->type_name("TOKEN");
  cli.add_flag("--json", out.request.as_json, "machine-readable output");
}

void declare_commands(CLI::App& cli, ctl_command_line& out) {
  auto& request = out.request;
  cli.add_subcommand("status", "what the node is and does");
  cli.add_subcommand("nodes", "nodes of the cluster");
  cli.add_subcommand("names", "names and who holds them");
  cli.add_subcommand("groups", "groups and their members");
  cli.add_subcommand("tree", "the supervision tree");
  cli.add_subcommand("actors", "supervised actors");
  cli.add_subcommand("metrics", "metrics as Prometheus text");
  cli.add_subcommand("top",
                     "the nodes, live: requests, latency, instances, verdict, queue; q ends it")
      ->add_flag("--once", out.top.once, "one snapshot, as plain text");
  cli.add_subcommand("reload", "reads the cluster file again");
  add_message(cli, "ask", "asks an actor and prints its answer", request, "NAME");
  add_message(cli, "send", "sends an actor a message", request, "NAME");
  add_message(cli, "publish", "sends a message to all members of a group", request, "GROUP");
  add_named(cli, "watch", "waits until an actor ends", request);
  add_named(cli, "kill", "kills an actor by name or by path of the tree", request);
  cli.add_subcommand("instances", "web instances of the node: processes, state, connections, load");
  cli.add_subcommand("decisions", "what the scaler has decided, and why")
      ->add_flag("--all", request.all, "a line for each, also where one holds as the one before");
  cli.add_subcommand("scale", "fixes the number of web instances")
      ->add_option("COUNT", request.body, "a number, or auto")
      ->required();
  cli.add_subcommand("drain", "finishes the node's work and stops it")
      ->add_option("NODE", out.target.node, "name of the node");
  auto* up = cli.add_subcommand("up", "starts and supervises the nodes of this host");
  up->add_option("--program", out.up.program, "what to run instead of caf-node")->type_name("FILE");
  up->add_option("--set", out.up.overrides, "passed on to each node")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  cli.add_subcommand("down", "stops the nodes of this host");
}

void declare(CLI::App& cli, ctl_command_line& out) {
  cli.description("Looks at a node and steers it.");
  cli.set_version_flag("--version", "caf-ctl " CAF_APP_VERSION, "the version of this program");
  cli.require_subcommand(1);
  cli.fallthrough();
  declare_target(cli, out);
  declare_commands(cli, out);
  cli.footer(
      "Exit status: 0 ok, 1 the node said no, 2 usage or configuration, 3 unreachable.\n"
      "Files: <data_dir>/<node>/control.sock is the control socket, open to its owner only.\n"
      "See also: CONFIGURATION.md has every key of the cluster file; caf-node(1).");
}

/// @returns the word where a command should be; empty: there is none, or it is a command
std::string unknown_command(const CLI::App& cli) {
  if (!cli.get_subcommands().empty())
    return {};
  for (const auto& word : cli.remaining())
    if (!word.starts_with('-'))
      return word;
  return {};
}

/// CLI11 says only that some command is missing.
std::string complaint_about(const std::string& word, const CLI::App& cli) {
  std::vector<std::string> commands;
  for (const auto* command : cli.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  const auto meant = nearest(word, commands);
  return "caf-ctl: there is no command \"" + word + "\"" +
         (meant ? "; did you mean \"" + *meant + "\"?" : "; --help lists those that there are");
}

} // namespace

std::variant<ctl_command_line, int> parse_ctl_command_line(int argc, char** argv) {
  ctl_command_line result;
  CLI::App cli;
  declare(cli, result);
  try {
    cli.parse(argc, argv);
    result.request.command = cli.get_subcommands().front()->get_name();
    const auto& where = result.target;
    if (where.config.empty() && (where.admin.empty() || result.of_host()))
      throw CLI::RequiredError(result.of_host() ? "--config" : "--config or --admin");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) { // help, version
      cli.exit(error);
      return 0;
    }
    if (const auto word = unknown_command(cli); !word.empty())
      std::cerr << complaint_about(word, cli) << std::endl;
    else
      cli.exit(error);
    return static_cast<int>(ctl_status::usage);
  }
  return result;
}

cli_page ctl_page() {
  ctl_command_line unused;
  CLI::App cli;
  declare(cli, unused);
  return page_of(cli, "caf-ctl");
}

} // namespace caf_app
