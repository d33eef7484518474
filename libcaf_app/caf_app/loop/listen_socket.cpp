#include "caf_app/loop/listen_socket.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

const char* path_of(const socket_address& address) {
  return reinterpret_cast<const sockaddr_un&>(address.storage).sun_path;
}

caf::error listen_error(const socket_address& address, const char* call, int error) {
  auto text = "cannot listen on " + to_string(address) + ": " + call + ": " + std::strerror(error);
  if (error == EADDRINUSE)
    text += " (another process listens there; stop it or choose another address)";
  else if (error == EACCES)
    text += " (ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE)";
  return caf::make_error(errc::start_failed, std::move(text));
}

void set_option(int fd, int level, int name) {
  const int on = 1;
  ::setsockopt(fd, level, name, &on, sizeof on);
}

/// SO_REUSEPORT alone would let us join a stranger of the same user silently, so a first bind
/// without it asks.
int probe_free(const socket_address& address) {
  if (address.port() == 0)
    return 0;
  const auto fd = ::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return errno;
  set_option(fd, SOL_SOCKET, SO_REUSEADDR);
  if (address.family() == AF_INET6)
    set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY);
  const auto error = ::bind(fd, address.get(), address.size) == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

/// Removes the socket that a dead process has left. Anything else at that path stays, and bind
/// refuses it.
int remove_leftover(const socket_address& address) {
  struct stat found {};
  if (::lstat(path_of(address), &found) != 0 || !S_ISSOCK(found.st_mode))
    return 0;
  const auto probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0)
    return errno;
  const auto error = ::connect(probe, address.get(), address.size) == 0 ? 0 : errno;
  ::close(probe);
  if (error != ECONNREFUSED)
    return EADDRINUSE; // EAGAIN: it lives, but its queue is full
  return ::unlink(path_of(address)) == 0 ? 0 : errno;
}

caf::expected<listen_socket_ptr> finish(int fd, const socket_address& wanted, int backlog) {
  if (::listen(fd, backlog) != 0) {
    const auto error = errno;
    ::close(fd);
    return listen_error(wanted, "listen", error);
  }
  socket_address bound = wanted;
  bound.size = sizeof bound.storage;
  ::getsockname(fd, bound.get(), &bound.size);
  return std::make_shared<const listen_socket>(fd, bound);
}

} // namespace

listen_socket::~listen_socket() {
  if (address_.family() == AF_UNIX)
    ::unlink(path_of(address_));
  ::close(fd_);
}

caf::expected<listen_socket_ptr> listen_tcp(const socket_address& address, int backlog,
                                            port_sharing sharing) {
  if (sharing == port_sharing::exclusive)
    if (const auto error = probe_free(address))
      return listen_error(address, "bind", error);
  const auto fd = ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return listen_error(address, "socket", errno);
  set_option(fd, SOL_SOCKET, SO_REUSEADDR);
  set_option(fd, SOL_SOCKET, SO_REUSEPORT);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY);
  if (address.family() == AF_INET6)
    set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY);
  if (::bind(fd, address.get(), address.size) != 0) {
    const auto error = errno;
    ::close(fd);
    return listen_error(address, "bind", error);
  }
  return finish(fd, address, backlog);
}

// A filter sees a segment from its TCP header on: byte 13 holds the flags. SYN without ACK is
// dropped.
void stop_handshakes(const listen_socket& socket) {
  if (socket.address().family() == AF_UNIX)
    return;
  sock_filter code[]{
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, 13},      {BPF_ALU | BPF_AND | BPF_K, 0, 0, TH_SYN | TH_ACK},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, TH_SYN}, {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xffffffff},
  };
  const sock_fprog program{std::size(code), code};
  // Failing, it only leaves the gap that it would have closed.
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

caf::expected<listen_socket_ptr> listen_unix(const socket_address& address, int backlog) {
  if (const auto error = remove_leftover(address))
    return listen_error(address, "bind", error);
  const auto fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return listen_error(address, "socket", errno);
  const auto* path = path_of(address);
  ::fchmod(fd, S_IRUSR | S_IWUSR); // before bind: the file is born with these permissions
  if (::bind(fd, address.get(), address.size) != 0 || ::chmod(path, S_IRUSR | S_IWUSR) != 0) {
    const auto error = errno;
    ::close(fd);
    return listen_error(address, "bind", error);
  }
  return finish(fd, address, backlog);
}

} // namespace caf_app
