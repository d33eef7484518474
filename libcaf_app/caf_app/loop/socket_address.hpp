// Addresses of sockets as people write them: "127.0.0.1:8080", "[::1]:8080", "unix:/run/x.sock".
// Numeric only: what needs a resolver is somebody else's, because a resolver blocks.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include <caf/expected.hpp>

namespace caf_app {

/// As the kernel takes it; `size` bytes of `storage` count. 0: no address.
struct socket_address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  /// AF_INET, AF_INET6 or AF_UNIX.
  int family() const noexcept { return storage.ss_family; }

  /// Port in host order; 0 for Unix sockets.
  uint16_t port() const noexcept;
};

/// @returns errc::invalid_argument with what was found and what was expected
caf::expected<socket_address> parse_socket_address(std::string_view text);

/// The form that parse_socket_address() reads; a Unix peer without a name is "unix:".
std::string to_string(const socket_address& address);

/// Without the port: "127.0.0.1", "::1".
std::string host_of(const socket_address& address);

} // namespace caf_app
