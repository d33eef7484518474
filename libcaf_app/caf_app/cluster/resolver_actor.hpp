// Names of hosts to addresses, on a thread of its own: getaddrinfo blocks for as long as it likes.
#pragma once

#include <string>

#include <caf/all.hpp>

namespace caf_app {

/// Answers a text "host:port" with an address that parse_socket_address() reads; an errc::io_failed
/// with what the resolver said. Spawn it detached; it waits in getaddrinfo() and ends on an exit
/// message after that.
caf::behavior resolver_actor(caf::event_based_actor* self);

} // namespace caf_app
