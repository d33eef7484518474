// Joins a cluster without being one of its nodes: for tools and for programs that only use what a
// cluster offers. A client dials the nodes that it was told of and all that those know, listens
// nowhere, does not vote, and holds no names; its actors look up, ask, watch, join groups and
// publish as everywhere.
//
//   caf_app::app host{...};
//   auto joined = caf_app::join_cluster(host, options);
//   host.add_phase(joined->leave);
//   host.start({joined->spec, ...});
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "caf_app/app.hpp"
#include "caf_app/cluster/cluster_desk.hpp"
#include "caf_app/cluster/cluster_settings.hpp"

namespace caf_app {

/// Who joins which cluster, and how it proves itself: a secret or certificates.
struct cluster_client_options {
  std::string cluster;                             ///< its name
  std::string name;                                ///< of this client: unique in the cluster
  std::map<std::string, std::string> peers;        ///< nodes to dial: "host:port" by name
  std::string secret;                              ///< what nodes prove to each other
  std::shared_ptr<link_certificates> certificates; ///< instead of the secret; may be null
  std::vector<std::string> roles{"client"};        ///< shown to others
  std::optional<dial_source> source;               ///< where its links come from; none: anywhere
};

/// @returns the secret in a file, errc::start_failed if it cannot be used: missing, readable by
/// others, too short or too long
caf::expected<std::string> read_cluster_secret(const std::filesystem::path& file);

/// A client that has been set up; it dials once `spec` runs.
struct cluster_client {
  child_spec spec;                    ///< for app::start()
  std::shared_ptr<cluster_desk> desk; ///< what it knows about the cluster

  /// Tells the others that this client leaves. A last phase of the app: add_phase(leave).
  shutdown_phase leave;
};

/// Connects the registry of `host` to the cluster; links are dialled once the child runs.
/// @returns errc::invalid_argument if a name or an address is missing
caf::expected<cluster_client> join_cluster(app& host, cluster_client_options options);

} // namespace caf_app
