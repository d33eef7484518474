#include "caf_app/cluster_client.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/cluster_actor.hpp"
#include "caf_app/cluster/resolver_actor.hpp"
#include "caf_app/registry/name_table.hpp"
#include "caf_app/supervision/supervisor.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::seconds leave_timeout{2};
constexpr std::chrono::seconds stop_timeout{8};

caf::error secret_error(const std::filesystem::path& file, const std::string& why) {
  return caf::make_error(errc::start_failed, "cluster.secret_file " + file.string() + ": " + why);
}

child_spec links_of(const std::shared_ptr<cluster_parts>& parts) {
  const auto resolver = std::make_shared<caf::actor>();
  supervisor_options keeper;
  keeper.restart.strategy = restart_strategy::rest_for_one;
  keeper.children.push_back(resolver_child(resolver));
  child_spec links;
  links.id = "links";
  links.start = [parts, resolver](const start_context& start) -> caf::expected<caf::actor> {
    return caf::actor{spawn_on<cluster_actor>(start.system, parts->context->loop, parts,
                                              listen_socket_ptr{}, *resolver)};
  };
  keeper.children.push_back(std::move(links));
  return supervisor_child("cluster", std::move(keeper), stop_timeout);
}

} // namespace

caf::expected<std::string> read_cluster_secret(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0)
    return secret_error(
        file, std::string{std::strerror(errno)} + "; `caf-ctl up` makes one, or write at least " +
                  std::to_string(limits::cluster::secret_bytes_min) + " random bytes to it");
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return secret_error(file, "others can read it, expected mode 0600");
  std::ifstream in{file, std::ios::binary};
  std::string secret{std::istreambuf_iterator<char>{in}, {}};
  while (secret.ends_with('\n') || secret.ends_with('\r')) // which editors add
    secret.pop_back();
  if (!in.good() && !in.eof())
    return secret_error(file, "it cannot be read");
  if (secret.size() < limits::cluster::secret_bytes_min ||
      secret.size() > limits::cluster::secret_bytes_max)
    return secret_error(file, "it has " + std::to_string(secret.size()) + " bytes, expected " +
                                  std::to_string(limits::cluster::secret_bytes_min) + " to " +
                                  std::to_string(limits::cluster::secret_bytes_max));
  return secret;
}

caf::expected<cluster_client> join_cluster(app& host, cluster_client_options options) {
  if (options.cluster.empty() || options.name.empty() || options.peers.empty())
    return caf::make_error(errc::invalid_argument,
                           "a client needs the name of the cluster, a name of its own, and the "
                           "address of a node");
  if (auto why = why_invalid_name(options.name); !why.empty())
    return caf::make_error(errc::invalid_argument, "the name of the client: " + why);
  auto parts = std::make_shared<cluster_parts>();
  parts->settings.cluster = std::move(options.cluster);
  parts->settings.node = std::move(options.name);
  parts->settings.roles = std::move(options.roles);
  parts->settings.source = std::move(options.source);
  parts->settings.secret = std::move(options.secret);
  parts->settings.certificates = std::move(options.certificates);
  for (const auto& [name, address] : options.peers)
    parts->settings.voters.push_back(name);
  parts->settings.peers = std::move(options.peers);
  parts->settings.quorum = quorum_mode::none; // it grants nothing
  parts->context = std::make_shared<link_context>(host.system(), host.loops().back());
  parts->channels = std::make_shared<channel_index>();
  parts->desk = std::make_shared<cluster_desk>(parts->context);
  parts->names = host.names();
  parts->log = host.log();
  host.names()->connect(parts->desk);
  auto desk = parts->desk;
  return cluster_client{links_of(parts),
                        desk,
                        {"leaving the cluster", leave_timeout, [desk] { desk->leave(); },
                         [desk] { return desk->has_left(); }}};
}

} // namespace caf_app
