// A bound, listening socket. It is shared, so that it outlives the actor that accepts from it: when
// a supervisor restarts that actor, connections in the queue are still there.
#pragma once

#include <memory>

#include <caf/expected.hpp>

#include "caf_app/loop/socket_address.hpp"

namespace caf_app {

/// Owns the descriptor. Immutable, any thread.
class listen_socket {
public:
  /// Takes over `fd`, which listens on `address`.
  listen_socket(int fd, socket_address address) noexcept : fd_(fd), address_(address) {}

  /// Closes the descriptor; removes the file of a Unix socket.
  ~listen_socket();

  listen_socket(const listen_socket&) = delete;
  listen_socket& operator=(const listen_socket&) = delete;

  int fd() const noexcept { return fd_; }

  /// The bound address, with the port that the kernel chose if 0 was asked for.
  const socket_address& address() const noexcept { return address_; }

private:
  int fd_;
  socket_address address_;
};

using listen_socket_ptr = std::shared_ptr<const listen_socket>;

/// Whether other processes may listen at the address, too.
enum class port_sharing {
  exclusive, ///< an address that another process listens at already is refused, whatever its user
  shared,
};

/// Binds a TCP address with SO_REUSEPORT, so that several loops and processes of one user share it,
/// each with a queue of its own. Accepted sockets inherit TCP_NODELAY.
/// @param backlog wanted length of the accept queue; the kernel caps it by net.core.somaxconn
/// @returns errc::start_failed naming the address and the reason
caf::expected<listen_socket_ptr> listen_tcp(const socket_address& address, int backlog,
                                            port_sharing sharing);

/// Lets no handshake begin any more: a client's SYN is dropped, what is under way completes. Who
/// empties the queue a moment later and closes loses nobody, while connections that complete
/// between the two would be reset. Does nothing to a Unix socket.
void stop_handshakes(const listen_socket& socket);

/// Binds a Unix socket with permissions 0600 from its first moment on. A left-over file of a dead
/// process is replaced; a socket that still answers is an error.
caf::expected<listen_socket_ptr> listen_unix(const socket_address& address, int backlog);

} // namespace caf_app
