// What the cluster layer of a node is told at its start.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/cluster/dial_socket.hpp"
#include "caf_app/cluster/link_host.hpp"
#include "caf_app/cluster/quorum_lease.hpp"
#include "caf_app/loop/tls_client_context.hpp"
#include "caf_app/loop/tls_context.hpp"

namespace caf_app {

/// The certificates of links: new handshakes use what was set last, links that are up go on. Any
/// thread.
class link_certificates {
public:
  /// For links that we accept, and for those that we dial.
  struct pair {
    std::shared_ptr<const tls_context> server;
    std::shared_ptr<const tls_client_context> client;
  };

  /// @param contexts both set
  explicit link_certificates(pair contexts) : contexts_(std::move(contexts)) {}

  pair get() const {
    const std::scoped_lock guard{mutex_};
    return contexts_;
  }

  void set(pair contexts) {
    const std::scoped_lock guard{mutex_};
    std::swap(contexts_, contexts);
  }

private:
  mutable std::mutex mutex_;
  pair contexts_;
};

/// What a node says of itself and of its cluster; fixed while it runs.
struct cluster_settings {
  std::string cluster;                             ///< name of the cluster
  std::string node;                                ///< name of this node
  std::string address;                             ///< where others reach it: "host:port"
  std::vector<std::string> roles;                  ///< of this node
  std::string secret;                              ///< unused with certificates
  std::shared_ptr<link_certificates> certificates; ///< null: no TLS
  std::optional<dial_source> source;               ///< of links that it dials
  std::map<std::string, std::string> peers;        ///< nodes of the file, address by name
  std::vector<std::string> voters;                 ///< names of the nodes of the file
  quorum_mode quorum = quorum_mode::majority;
  std::chrono::milliseconds heartbeat = limits::cluster::heartbeat;
  std::chrono::milliseconds acceptable_pause = limits::cluster::acceptable_pause;
  std::chrono::milliseconds reconnect_grace = limits::cluster::reconnect_grace;
  std::chrono::milliseconds stable_after = limits::cluster::stable_after;
  size_t handshakes_max = limits::cluster::handshakes_max; ///< under way at the same time
  link_limits links;
};

} // namespace caf_app
