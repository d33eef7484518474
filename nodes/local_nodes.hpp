// Which nodes of a cluster file run on this host, and the secret that they share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <caf/error.hpp>

#include "caf_app/base/cluster_config.hpp"

namespace caf_app {

/// @returns whether `host`, a name or a numeric address, is one of this machine
bool is_of_this_host(const std::string& host);

/// The nodes to run here, in the order of the file: those whose link address is one of this
/// machine, and those without a link.
std::vector<const node_section*> local_nodes(const cluster_config& config);

/// Makes the cluster's secret, 32 random bytes as hexadecimal digits, for its owner only (0600).
/// Does nothing if the file exists.
/// @returns errc::io_failed
caf::error make_secret(const std::filesystem::path& file);

} // namespace caf_app
