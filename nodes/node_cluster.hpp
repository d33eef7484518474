// The cluster layer of a node, put together: secret or certificates, the listening socket, the
// supervised actors, metrics. What a node without `link` has none of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "caf_app/app.hpp"
#include "caf_app/cluster/cluster_node.hpp"
#include "caf_app/loop/listen_socket.hpp"
#include "nodes/node_config.hpp"

namespace caf_app {

class node_cluster {
public:
  /// Reads secret or certificates, binds, and connects the registry of `host` to the cluster.
  /// @returns errc::start_failed or errc::invalid_config
  static caf::expected<std::unique_ptr<node_cluster>> make(app& host, const node_config& config);

  /// `cluster` in the tree.
  child_spec spec() const;

  /// Others take over: the first phase of a shutdown.
  shutdown_phase announce_phase() const;

  /// The last one before actors and loops stop.
  shutdown_phase leave_phase() const;

  /// What /v1/nodes tells. Any thread.
  cluster_view view() const { return parts_->desk->view(); }

  /// Reads the certificates again; links that are up go on.
  /// @returns errc::invalid_config: the old ones stay
  caf::error reload(const node_config& config) const;

private:
  node_cluster(app& host, std::shared_ptr<const cluster_parts> parts, listen_socket_ptr socket);

  void count(metrics& books);

  std::shared_ptr<const cluster_parts> parts_;
  listen_socket_ptr socket_;
  std::vector<metrics::observer> observers_;
};

/// Whether each node has files of its own: `{node}` in them stands for its name.
bool is_of_each_node(const cluster_tls_section& files);

/// What links show and ask for, as `[cluster.tls]` says.
/// @param node whose certificate it has to be; empty: anybody's
/// @returns errc::invalid_config naming the file and the reason
caf::expected<link_certificates::pair> load_link_certificates(const cluster_tls_section& files,
                                                              const std::string& node);

/// How a node proves itself: one of them is set.
struct link_keys {
  std::shared_ptr<link_certificates> certificates;
  std::string secret;
};

/// Reads what `section` names.
/// @param node as above
/// @returns errc::invalid_config or errc::start_failed naming the file and the reason
caf::expected<link_keys> read_link_keys(const cluster_section& section, const std::string& node);

/// Whether it is known where a node with links listens. Blocks if a name has to be looked up.
/// @returns errc::start_failed
caf::error check_link_address(const node_section& node);

/// Whether nodes can prove themselves to each other: without that there are no links.
bool has_links(const cluster_config& config);

/// What has to hold for the links of `node`; complains in `report`.
void check_links(const cluster_config& config, const node_section& node, const config_value& at,
                 config_report& report);

} // namespace caf_app
