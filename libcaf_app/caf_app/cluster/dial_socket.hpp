// A socket that begins to connect, from a port of one's choice where a firewall wants that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "caf_app/loop/socket_address.hpp"

namespace caf_app {

/// Where links come from: the first port of the range from which the target can be reached. Several
/// sockets share a port as long as they go to different targets.
struct dial_source {
  std::string host; ///< numeric; anything else: whatever address leads there
  uint16_t first = 1;
  uint16_t last = 1;
};

/// @param source none: the system picks a port
/// @returns a descriptor that connects or is connected, -1 and errno if that fails at once:
/// EADDRNOTAVAIL if all ports of the range are in use for this target
int begin_connect(const socket_address& target, const std::optional<dial_source>& source);

} // namespace caf_app
