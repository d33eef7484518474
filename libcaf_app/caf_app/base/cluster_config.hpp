// The sections of a cluster file that every node reads, whatever its roles: [cluster], [[node]],
// [log], [shutdown] and [admin].
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caf_app/base/address.hpp"
#include "caf_app/base/cluster_section.hpp"
#include "caf_app/base/config.hpp"
#include "caf_app/base/limits.hpp"
#include "caf_app/base/log.hpp"

namespace caf_app {

/// What a node is for; it runs those of its roles only.
enum class node_role { http, eval, scaler, demo };

/// As written in `roles`.
std::string to_string(node_role role);

/// One [[node]].
struct node_section {
  std::string name;
  std::optional<host_port> link;
  std::optional<host_port> link_listen; ///< unset: the address that `link` is, or its name leads to
  std::optional<host_port> admin;       ///< port 0: the system picks one
  std::vector<node_role> roles;

  /// Whether it is one of `roles`.
  bool has(node_role role) const;
};

/// [log].
struct log_section {
  log_format format = log_format::text;
  log_level level = log_level::info;
};

/// [shutdown]; the deadline is longer than a phase.
struct shutdown_section {
  std::chrono::milliseconds phase_timeout = limits::shutdown::phase_timeout;
  std::chrono::milliseconds hard_deadline = limits::shutdown::hard_deadline;
};

/// [admin].
struct admin_section {
  std::string token; ///< empty: only loopback addresses may be listened at
};

/// What read_cluster_config() fills.
struct cluster_config {
  cluster_section cluster;
  std::vector<node_section> nodes;
  log_section log;
  shutdown_section shutdown;
  admin_section admin;

  /// Who decides: what [cluster] says, else a majority unless there are too few nodes for one.
  quorum_choice quorum() const;

  /// @returns the node `name`, else nullptr
  const node_section* find_node(std::string_view name) const;

  /// @returns the folder of a node's files: `<data_dir>/<name>`
  std::filesystem::path node_dir(std::string_view name) const { return cluster.data_dir / name; }
};

/// Reads the five sections; complaints show up in `file.finish()`.
void read_cluster_config(config_file& file, cluster_config& out);

/// The rows of the reference, one table per section.
std::vector<config_key> cluster_config_keys();

} // namespace caf_app
