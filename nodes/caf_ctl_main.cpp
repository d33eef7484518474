// caf-ctl: looks at a node and steers it, over its control socket or an admin URL.
//
// Exit status: 0 ok, 1 the node said no, 2 usage or configuration, 3 unreachable.
#include <unistd.h>

#include <iostream>

#include <CLI/CLI.hpp>

#include "caf_app/app.hpp"
#include "caf_app/base/error.hpp"
#include "nodes/ctl_commands.hpp"
#include "nodes/ctl_up.hpp"
#include "nodes/node_config.hpp"

namespace {

using namespace caf_app;

struct target {
  std::filesystem::path config;
  std::string node;
  std::string admin;
  std::string token;
};

/// @returns errc::invalid_config if the file or the choice of a node is wrong
caf::expected<admin_client> client_for(const target& where) {
  if (!where.admin.empty())
    return admin_client::over_tcp(where.admin, where.token).through(where.node);
  auto config = read_node_config(where.config, {}, where.node);
  if (!config)
    return std::move(config.error());
  const auto& cluster = (*config)->cluster;
  if (where.node.empty() && cluster.nodes.size() != 1)
    return caf::make_error(errc::invalid_config, where.config.string() + " has " +
                                                     std::to_string(cluster.nodes.size()) +
                                                     " nodes: choose one with --node");
  const auto& node = where.node.empty() ? cluster.nodes.front().name : where.node;
  const auto socket_of = [&](const std::string& name) {
    return cluster.node_dir(name) / "control.sock";
  };
  if (!std::filesystem::exists(socket_of(node))) // it may live on another machine
    for (const auto& other : cluster.nodes)
      if (std::filesystem::exists(socket_of(other.name)))
        return admin_client::over_socket(socket_of(other.name).string()).through(node);
  return admin_client::over_socket(socket_of(node).string());
}

/// A command without arguments.
void add_plain(CLI::App& cli, const char* name, const char* help) {
  cli.add_subcommand(name, help);
}

void add_message(CLI::App& cli, const char* name, const char* help, ctl_request& request,
                 const char* who) {
  auto* command = cli.add_subcommand(name, help);
  command->add_option(who, request.name)->required();
  command->add_option("JSON", request.body,
                      "{\"method\", \"params\"}, or the params of method \"call\"");
  if (request.command.empty() && std::string{name} == "ask")
    command->add_option("--timeout", request.timeout, "for example 5s");
}

/// The commands for all nodes of a file at once.
int run_host(const std::string& command, const target& where, up_options& options) {
  auto config = read_node_config(where.config, options.overrides, "");
  if (!config) {
    std::cerr << "caf-ctl: " << describe(config.error()) << std::endl;
    return static_cast<int>(ctl_status::usage);
  }
  options.config_file = where.config;
  return static_cast<int>(command == "up" ? run_up(options, **config, std::cerr)
                                          : run_down((*config)->cluster, std::cout, std::cerr));
}

void add_named(CLI::App& cli, const char* name, const char* help, ctl_request& request) {
  cli.add_subcommand(name, help)->add_option("NAME", request.name)->required();
}

} // namespace

int main(int argc, char** argv) {
  target where;
  ctl_request request;
  up_options up;
  CLI::App cli{"Looks at a node and steers it."};
  cli.add_option("--config", where.config, "cluster file; finds the control socket of the node");
  cli.add_option("--node", where.node, "name of the node, if the file has several");
  cli.add_option("--admin", where.admin, "URL of an admin listener, instead of --config");
  cli.add_option("--token", where.token, "token of the admin listener");
  cli.add_flag("--json", request.as_json, "machine-readable output");
  cli.require_subcommand(1);
  cli.fallthrough();
  add_plain(cli, "status", "what the node is and does");
  add_plain(cli, "nodes", "nodes of the cluster");
  add_plain(cli, "names", "names and who holds them");
  add_plain(cli, "groups", "groups and their members");
  add_plain(cli, "tree", "the supervision tree");
  add_plain(cli, "actors", "supervised actors");
  add_plain(cli, "metrics", "metrics as Prometheus text");
  add_plain(cli, "reload", "reads the cluster file again");
  add_message(cli, "ask", "asks an actor and prints its answer", request, "NAME");
  add_message(cli, "send", "sends an actor a message", request, "NAME");
  add_message(cli, "publish", "sends a message to all members of a group", request, "GROUP");
  add_named(cli, "watch", "waits until an actor ends", request);
  add_named(cli, "kill", "kills an actor by name or by path of the tree", request);
  add_plain(cli, "decisions", "what the scaler has decided, and why");
  cli.add_subcommand("scale", "fixes the number of web instances")
      ->add_option("COUNT", request.body, "a number, or auto")
      ->required();
  cli.add_subcommand("drain", "finishes the node's work and stops it")
      ->add_option("NODE", where.node, "name of the node");
  auto* up_command = cli.add_subcommand("up", "starts and supervises the nodes of this host");
  up_command->add_option("--program", up.program, "what to run instead of caf-node");
  up_command->add_option("--set", up.overrides, "passed on to each node")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_plain(cli, "down", "stops the nodes of this host");
  try {
    cli.parse(argc, argv);
    const auto of_host = up_command->parsed() || cli.got_subcommand("down");
    if (where.config.empty() && (where.admin.empty() || of_host))
      throw CLI::RequiredError(of_host ? "--config" : "--config or --admin");
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? 0 : static_cast<int>(ctl_status::usage);
  }
  request.command = cli.get_subcommands().front()->get_name();
  if (request.command == "up")
    block_signals(); // before any thread exists
  if (request.command == "up" || request.command == "down")
    return run_host(request.command, where, up);
  const auto client = client_for(where);
  if (!client) {
    std::cerr << "caf-ctl: " << describe(client.error()) << std::endl;
    return static_cast<int>(ctl_status::usage);
  }
  return static_cast<int>(run_command(*client, request, std::cout, std::cerr));
}
