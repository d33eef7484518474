// caf-ctl: looks at a node and steers it, over its control socket or an admin URL.
//
// Exit status: 0 ok, 1 the node said no, 2 usage or configuration, 3 unreachable.
#include <iostream>

#include "caf_app/app.hpp"
#include "caf_app/base/error.hpp"
#include "nodes/ctl_cli.hpp"
#include "nodes/node_config.hpp"

namespace {

using namespace caf_app;

/// @returns errc::invalid_config if the file or the choice of a node is wrong
caf::expected<admin_client> client_for(const ctl_target& where) {
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

int refuse(const caf::error& why) {
  std::cerr << "caf-ctl: " << describe(why) << std::endl;
  return static_cast<int>(ctl_status::usage);
}

/// The commands for all nodes of a file at once.
int run_host(ctl_command_line& line) {
  auto config = read_node_config(line.target.config, line.up.overrides, "");
  if (!config)
    return refuse(config.error());
  line.up.config_file = line.target.config;
  return static_cast<int>(line.request.command == "up"
                              ? run_up(line.up, **config, std::cerr)
                              : run_down((*config)->cluster, std::cout, std::cerr));
}

} // namespace

int main(int argc, char** argv) {
  auto parsed = parse_ctl_command_line(argc, argv);
  if (const auto* status = std::get_if<int>(&parsed))
    return *status;
  auto& line = std::get<ctl_command_line>(parsed);
  if (line.request.command == "up")
    block_signals(); // before any thread exists
  if (line.of_host())
    return run_host(line);
  const auto client = client_for(line.target);
  if (!client)
    return refuse(client.error());
  if (line.request.command == "top")
    return static_cast<int>(run_top(*client, line.top, std::cerr));
  return static_cast<int>(run_command(*client, line.request, std::cout, std::cerr));
}
