// The section [cluster] of a cluster file: what all nodes share, and how their links behave.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "caf_app/base/address.hpp"
#include "caf_app/base/config_rule.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app {

/// Who may decide: every node for itself, or more than half of the nodes of the file.
enum class quorum_choice { none, majority };

/// [cluster.tls]; PEM files. All or none. `{node}` in `cert` and `key` is the name of the node.
struct cluster_tls_section {
  std::filesystem::path cert; ///< chain of the node; its name has to be a DNS name of it
  std::filesystem::path key;
  std::filesystem::path ca; ///< whose certificates are believed

  bool used() const { return !cert.empty(); }
};

/// [cluster]; defaults are those of the reference.
struct cluster_section {
  std::string name = "caf_app";
  std::filesystem::path secret_file;      ///< empty: none
  std::filesystem::path data_dir = "var"; ///< read: absolute if the file was
  bool insecure = false;                  ///< links without TLS beyond loopback
  std::optional<quorum_choice> quorum;    ///< unset: none for one or two nodes, else majority
  std::chrono::milliseconds heartbeat = limits::cluster::heartbeat;
  std::chrono::milliseconds acceptable_pause = limits::cluster::acceptable_pause;
  std::chrono::milliseconds reconnect_grace = limits::cluster::reconnect_grace;
  std::chrono::milliseconds stable_after = limits::cluster::stable_after;
  std::chrono::milliseconds stall_timeout = limits::cluster::stall_timeout;
  std::chrono::milliseconds handshake_timeout = limits::cluster::handshake_timeout;
  bool busy_poll = true; ///< threads that expect something look for it before they sleep
  uint64_t link_buffer = limits::cluster::link_buffer_bytes;
  uint64_t max_frame = limits::cluster::frame_bytes_max;
  std::optional<host_port> basp_gateway; ///< unset: none
  cluster_tls_section tls;
};

/// How the section is read; refuses values out of range and relations that cannot work.
config_rule<cluster_section> cluster_section_rule();

} // namespace caf_app
