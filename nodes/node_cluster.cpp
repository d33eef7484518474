#include "nodes/node_cluster.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "caf_app/base/error.hpp"
#include "caf_app/base/error_detail.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/cluster/cluster_actor.hpp"
#include "caf_app/cluster/resolver_actor.hpp"
#include "caf_app/cluster_client.hpp"
#include "caf_app/loop/tls_files.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/named_child.hpp"

namespace caf_app {

namespace {

constexpr int link_backlog = 1024;
constexpr std::chrono::milliseconds leave_timeout{2000};
constexpr std::chrono::milliseconds announce_time{500};

cluster_settings settings_of(const node_config& config) {
  const auto& section = config.cluster.cluster;
  cluster_settings result;
  result.cluster = section.name;
  result.node = config.node->name;
  result.address = to_string(*config.node->link);
  for (const auto role : config.node->roles)
    result.roles.push_back(to_string(role));
  for (const auto& node : config.cluster.nodes) {
    if (!node.link)
      continue;
    result.voters.push_back(node.name);
    if (node.name != config.node->name)
      result.peers.emplace(node.name, to_string(*node.link));
  }
  result.quorum = config.cluster.quorum() == quorum_choice::majority ? quorum_mode::majority
                                                                     : quorum_mode::none;
  result.heartbeat = section.heartbeat;
  result.acceptable_pause = section.acceptable_pause;
  result.reconnect_grace = section.reconnect_grace;
  result.stable_after = section.stable_after;
  result.links.frame_bytes_max = section.max_frame;
  result.links.link_buffer_bytes = section.link_buffer;
  result.links.handshake_timeout = section.handshake_timeout;
  result.links.stall_timeout = section.stall_timeout;
  return result;
}

constexpr std::string_view node_mark = "{node}";

/// Several nodes may share a cluster file, but none the key of another one.
std::string file_of(const std::filesystem::path& path, const std::string& node) {
  auto result = path.string();
  for (auto at = result.find(node_mark); at != std::string::npos;
       at = result.find(node_mark, at + node.size()))
    result.replace(at, node_mark.size(), node);
  return result;
}

/// What each peer asks for: link_handshake.
caf::error check_name(const std::string& cert, const std::string& node) {
  const auto names = tls::dns_names_in(cert);
  if (!names)
    return names.error();
  if (std::find(names->begin(), names->end(), node) != names->end())
    return caf::none;
  std::string found;
  for (const auto& name : *names)
    found += (found.empty() ? "\"" : ", \"") + name + "\"";
  return caf::make_error(errc::invalid_config,
                         cert + ": found a certificate with " +
                             (found.empty() ? "no DNS name" : "the DNS name " + found) +
                             ", expected \"" + node +
                             "\" among its subjectAltName: other nodes refuse it");
}

/// Where links come in: a name leads there as it does for those who dial.
caf::expected<socket_address> listen_address_of(const node_section& node) {
  const auto& where = node.link_listen ? *node.link_listen : *node.link;
  if (where.kind != host_kind::name)
    return parse_socket_address(to_string(where));
  const auto found = resolve_address(to_string(where));
  if (found)
    return parse_socket_address(*found);
  return caf::make_error(errc::start_failed, // it may in a moment
                         "link " + to_string(where) +
                             ": this node listens at the address of that "
                             "name, but " +
                             detail_of(found.error()) +
                             "; expected a name that resolves, or link_listen");
}

} // namespace

bool is_of_each_node(const cluster_tls_section& files) {
  return files.cert.native().find(node_mark) != std::string::npos ||
         files.key.native().find(node_mark) != std::string::npos;
}

caf::expected<link_certificates::pair> load_link_certificates(const cluster_tls_section& files,
                                                              const std::string& node) {
  const tls_key_pair own{file_of(files.cert, node), file_of(files.key, node)};
  tls_options server;
  tls_site_options site;
  site.hosts = {"*"};
  site.key_pairs = {own};
  site.client_auth = tls_client_auth::require;
  site.client_ca = files.ca.string();
  server.sites = {std::move(site)};
  server.min_version = tls_version::v1_3;
  server.alpn = {};
  auto accepted = tls_context::load(server, std::nullopt);
  if (!accepted)
    return std::move(accepted.error());
  tls_client_options client;
  client.ca = files.ca.string();
  client.key_pair = own;
  client.min_version = tls_version::v1_3;
  auto dialled = tls_client_context::load(client);
  if (!dialled)
    return std::move(dialled.error());
  if (auto err = node.empty() ? caf::error{} : check_name(own.cert, node))
    return err;
  return link_certificates::pair{std::move(*accepted), std::move(*dialled)};
}

caf::expected<link_keys> read_link_keys(const cluster_section& section, const std::string& node) {
  link_keys result;
  if (section.tls.used()) {
    auto certificates = load_link_certificates(section.tls, node);
    if (!certificates)
      return std::move(certificates.error());
    result.certificates = std::make_shared<link_certificates>(std::move(*certificates));
  } else {
    auto secret = read_cluster_secret(section.secret_file);
    if (!secret)
      return std::move(secret.error());
    result.secret = std::move(*secret);
  }
  return result;
}

bool has_links(const cluster_config& config) {
  return config.cluster.tls.used() || !config.cluster.secret_file.empty();
}

caf::error check_link_address(const node_section& node) {
  const auto address = listen_address_of(node);
  return address ? caf::error{} : address.error();
}

void check_links(const cluster_config& config, const node_section& node, const config_value& at,
                 config_report& report) {
  if (!node.link)
    return;
  const auto& section = config.cluster;
  const auto open = has_links(config) && !section.tls.used() && !section.insecure;
  for (const auto* key : {"link", "link_listen"})
    if (const auto& where = key == std::string_view{"link"} ? node.link : node.link_listen;
        open && where && !is_loopback(*where))
      report.add(at.find(key)->at,
                 "the link address " + to_string(*where) +
                     " is not loopback: expected [cluster.tls], or cluster.insecure = true");
  if (config.nodes.size() > 1 && !has_links(config))
    report.add(at.find("link")->at,
               "a cluster of several nodes needs cluster.secret_file or [cluster.tls]");
}

node_cluster::node_cluster(app& host, std::shared_ptr<const cluster_parts> parts,
                           listen_socket_ptr socket)
    : parts_(std::move(parts)), socket_(std::move(socket)) {
  host.names()->connect(parts_->desk);
  count(*host.books());
}

caf::expected<std::unique_ptr<node_cluster>> node_cluster::make(app& host,
                                                                const node_config& config) {
  auto parts = std::make_shared<cluster_parts>();
  parts->settings = settings_of(config);
  auto keys = read_link_keys(config.cluster.cluster, config.node->name);
  if (!keys)
    return std::move(keys.error());
  parts->settings.certificates = std::move(keys->certificates);
  parts->settings.secret = std::move(keys->secret);
  const auto address = listen_address_of(*config.node);
  if (!address)
    return address.error();
  auto socket = listen_tcp(*address, link_backlog, port_sharing::exclusive);
  if (!socket)
    return std::move(socket.error());
  parts->context = std::make_shared<link_context>(host.system(), host.loops().back());
  parts->channels = std::make_shared<channel_index>();
  parts->desk = std::make_shared<cluster_desk>(parts->context);
  parts->names = host.names();
  parts->log = host.log();
  return std::unique_ptr<node_cluster>{
      new node_cluster(host, std::move(parts), std::move(*socket))};
}

child_spec node_cluster::spec() const {
  const auto resolver = std::make_shared<caf::actor>();
  supervisor_options keeper;
  keeper.restart.strategy = restart_strategy::rest_for_one;
  keeper.children.push_back(resolver_child(resolver));
  keeper.children.push_back(
      named_child(parts_->names, "cluster",
                  [parts = parts_, socket = socket_, resolver](caf::actor_system& system) {
                    return caf::actor{spawn_on<cluster_actor>(system, parts->context->loop, parts,
                                                              socket, *resolver)};
                  }));
  return supervisor_child("cluster", std::move(keeper), std::chrono::seconds{8});
}

shutdown_phase node_cluster::announce_phase() const {
  // Others need a moment to hear it, and what they have asked before to be answered.
  const auto began = std::make_shared<steady::time_point>();
  return {"announcing that the node leaves", 2 * announce_time,
          [desk = parts_->desk, began] {
            *began = steady_now();
            desk->announce_leaving();
          },
          [began, desk = parts_->desk] {
            return !desk->has_peers() || steady_now() - *began >= announce_time;
          }};
}

shutdown_phase node_cluster::leave_phase() const {
  return {"leaving the cluster", leave_timeout, [desk = parts_->desk] { desk->leave(); },
          [desk = parts_->desk] { return desk->has_left(); }};
}

caf::error node_cluster::reload(const node_config& config) const {
  const auto& certificates = parts_->settings.certificates;
  if (!certificates)
    return caf::none;
  auto fresh = load_link_certificates(config.cluster.cluster.tls, config.node->name);
  if (!fresh)
    return std::move(fresh.error());
  certificates->set(std::move(*fresh));
  return caf::none;
}

void node_cluster::count(metrics& books) {
  struct row {
    const char* name;
    const char* help;
    counter cluster_counters::*value;
  };
  static constexpr row rows[] = {
      {"messages_sent_total", "Messages that left over links.", &cluster_counters::messages_sent},
      {"messages_received_total", "Messages from links that were delivered.",
       &cluster_counters::messages_received},
      {"sends_dropped_total", "Plain messages that could not leave.",
       &cluster_counters::sends_dropped},
      {"refused_messages_total", "Messages from links that nobody may get.",
       &cluster_counters::refused_messages},
      {"malformed_messages_total", "Messages from links that could not be read.",
       &cluster_counters::malformed},
      {"late_replies_total", "Replies from links that nobody waited for any more.",
       &cluster_counters::late_replies},
      {"links_up_total", "Links that were established.", &cluster_counters::links_up},
      {"links_lost_total", "Established links that ended.", &cluster_counters::links_lost},
      {"links_refused_total", "Handshakes that failed.", &cluster_counters::links_refused},
      {"congested_total", "Messages refused because too much waits for a node.",
       &cluster_counters::congested},
  };
  for (const auto& x : rows)
    observers_.push_back(books.observe(
        std::string{"caf_cluster_"} + x.name, x.help, [context = parts_->context, value = x.value] {
          return static_cast<double>((context->counters.*value).value());
        }));
  const auto desk = parts_->desk;
  observers_.push_back(books.observe("caf_cluster_pending_requests",
                                     "Requests that wait for an answer from another node.", [desk] {
                                       double sum = 0;
                                       for (const auto& node : desk->view().nodes)
                                         sum += static_cast<double>(node.pending_requests);
                                       return sum;
                                     }));
}

} // namespace caf_app
