#include "caf_app/cluster/dial_socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>

namespace caf_app {

namespace {

/// @returns the own end for a connection to `target`
socket_address own_end(const socket_address& target, const dial_source& source, uint16_t port) {
  const auto text = std::to_string(port);
  const auto v6 = target.family() == AF_INET6;
  const auto own = v6 ? parse_socket_address("[" + source.host + "]:" + text)
                      : parse_socket_address(source.host + ":" + text);
  if (own && own->family() == target.family())
    return *own;
  return *parse_socket_address((v6 ? "[::]:" : "0.0.0.0:") + text);
}

/// @param own null: any port
int try_connect(const socket_address& target, const socket_address* own) {
  const auto fd = ::socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (own)
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if ((!own || ::bind(fd, own->get(), own->size) == 0) &&
      (::connect(fd, target.get(), target.size) == 0 || errno == EINPROGRESS))
    return fd;
  const auto error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

} // namespace

int begin_connect(const socket_address& target, const std::optional<dial_source>& source) {
  if (!source || target.family() == AF_UNIX)
    return try_connect(target, nullptr);
  for (uint32_t port = source->first; port <= source->last; ++port) {
    const auto own = own_end(target, *source, static_cast<uint16_t>(port));
    const auto fd = try_connect(target, &own);
    if (fd >= 0 || (errno != EADDRINUSE && errno != EADDRNOTAVAIL))
      return fd;
  }
  errno = EADDRNOTAVAIL;
  return -1;
}

} // namespace caf_app
