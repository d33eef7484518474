// Sockets for tests: connected pairs, blocking peers with a deadline, and a count of open
// descriptors. All failures are exceptions, which end the test.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace caf_app::test {

/// Nothing in a test takes that long unless it hangs.
inline constexpr int patience_seconds = 30;

inline int checked(int result, const char* call) {
  if (result < 0)
    throw std::system_error{errno, std::generic_category(), call};
  return result;
}

/// Owns a descriptor.
class unique_fd {
public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(other.release()) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~unique_fd() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = fd;
  }

private:
  int fd_ = -1;
};

/// The blocking end of a connection, for the thread of the test.
class peer_socket {
public:
  peer_socket() = default;
  explicit peer_socket(int fd) : fd_(fd) {
    const timeval limit{patience_seconds, 0};
    checked(::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "SO_RCVTIMEO");
    checked(::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), "SO_SNDTIMEO");
  }

  int fd() const { return fd_.get(); }

  void send(std::string_view bytes) {
    while (!bytes.empty())
      bytes.remove_prefix(static_cast<size_t>(checked(
          static_cast<int>(::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL)), "send")));
  }

  /// @returns exactly `size` bytes, fewer only at the end of the stream
  std::string receive(size_t size) {
    std::string result(size, '\0');
    size_t got = 0;
    while (got < size) {
      const auto n = ::recv(fd(), result.data() + got, size - got, 0);
      if (checked(static_cast<int>(n), "recv") == 0)
        break;
      got += static_cast<size_t>(n);
    }
    result.resize(got);
    return result;
  }

  /// Waits for the end of the stream. @returns 0 for FIN, else an errno value such as ECONNRESET
  int wait_for_end() {
    char buffer[4096];
    for (;;) {
      const auto n = ::recv(fd(), buffer, sizeof buffer, 0);
      if (n <= 0)
        return n == 0 ? 0 : errno;
    }
  }

  void shutdown_write() { ::shutdown(fd(), SHUT_WR); }
  void close() { fd_.reset(); }

  /// Closes with RST.
  void reset() {
    const linger hard{1, 0};
    ::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }

private:
  unique_fd fd_;
};

/// A listening TCP socket on a free loopback port, blocking.
inline unique_fd loopback_listener() {
  unique_fd fd{checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  checked(::bind(fd.get(), reinterpret_cast<sockaddr*>(&in), sizeof in), "bind");
  checked(::listen(fd.get(), 128), "listen");
  return fd;
}

/// Connects to whatever `listener` is bound to.
inline int connect_to(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  checked(::getsockname(listener, generic, &size), "getsockname");
  unique_fd fd{checked(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")};
  checked(::connect(fd.get(), generic, size), "connect");
  return fd.release();
}

struct connection {
  unique_fd ours; ///< non-blocking
  peer_socket peer;
};

inline connection tcp_pair() {
  const auto listener = loopback_listener();
  connection result;
  result.peer = peer_socket{connect_to(listener.get())};
  result.ours.reset(checked(
      ::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC), "accept4"));
  return result;
}

inline connection unix_pair() {
  int fds[2];
  checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), "socketpair");
  connection result;
  result.ours.reset(fds[0]);
  result.peer = peer_socket{fds[1]};
  checked(::fcntl(fds[0], F_SETFL, O_NONBLOCK), "fcntl");
  return result;
}

/// Number of descriptors that this process has open.
inline size_t open_descriptors() {
  std::filesystem::directory_iterator all{"/proc/self/fd"};
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

/// A file without a name that holds `content`.
inline int temporary_file(std::string_view content) {
  unique_fd fd{checked(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), "open")};
  while (!content.empty())
    content.remove_prefix(static_cast<size_t>(
        checked(static_cast<int>(::write(fd.get(), content.data(), content.size())), "write")));
  return fd.release();
}

} // namespace caf_app::test
