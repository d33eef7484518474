#include "caf_app/loop/reuseport_steer.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace caf_app {

namespace {

constexpr int attempts = 3;
constexpr size_t checks = 16; // connections to oneself that have to land elsewhere
constexpr int connect_timeout_ms = 500;
constexpr std::chrono::milliseconds landing_time{500}; // until the loop has accepted a probe

std::string content_of(const char* file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

size_t listeners_at(const socket_address& address) {
  const auto* table = address.family() == AF_INET6 ? "/proc/net/tcp6" : "/proc/net/tcp";
  return count_listeners(content_of(table), address);
}

bool attach(int fd, const std::vector<sock_filter>& code) {
  const sock_fprog program{static_cast<unsigned short>(code.size()),
                           const_cast<sock_filter*>(code.data())};
  return ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) == 0;
}

/// Where to connect to reach oneself: a wildcard address becomes loopback.
socket_address own_address(socket_address address) {
  if (address.family() == AF_INET) {
    auto& host = reinterpret_cast<sockaddr_in*>(&address.storage)->sin_addr;
    if (host.s_addr == htonl(INADDR_ANY))
      host.s_addr = htonl(INADDR_LOOPBACK);
  } else if (address.family() == AF_INET6) {
    auto& host = reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_addr;
    if (IN6_IS_ADDR_UNSPECIFIED(&host))
      host = in6addr_loopback;
  }
  return address;
}

void set_port(socket_address& address, uint16_t port) {
  if (address.family() == AF_INET)
    reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port = htons(port);
  else
    reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port = htons(port);
}

/// Connections to oneself; they close with this object.
class prober {
public:
  prober(const socket_address& address, probe_book& book)
      : target_(own_address(address)), book_(book) {}
  ~prober() {
    for (const auto fd : fds_)
      ::close(fd);
  }
  prober(const prober&) = delete;
  prober& operator=(const prober&) = delete;

  /// Connects once, from a port that the book knows before.
  bool connect() {
    const auto fd = ::socket(target_.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
      return false;
    fds_.push_back(fd);
    auto own = target_;
    set_port(own, 0);
    own.size = target_.size;
    if (::bind(fd, own.get(), own.size) != 0 || ::getsockname(fd, own.get(), &own.size) != 0)
      return false;
    ports_.push_back(own.port());
    book_.expect(own.port());
    if (::connect(fd, target_.get(), target_.size) == 0)
      return true;
    pollfd state{fd, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    return errno == EINPROGRESS && ::poll(&state, 1, connect_timeout_ms) == 1 &&
           ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }

  /// @returns for each connection whether it landed here
  std::vector<bool> landed() { return book_.collect(ports_, landing_time); }

private:
  socket_address target_;
  probe_book& book_;
  std::vector<int> fds_;
  std::vector<uint16_t> ports_;
};

/// Which of `count` indices are sockets of this process. Empty if that cannot be told.
std::vector<unsigned> own_indices(const socket_address& address, std::span<const int> fds,
                                  size_t count, probe_book& probes) {
  prober probe{address, probes};
  auto good = true;
  for (unsigned i = 0; i < count; ++i)
    good = good && attach(fds.front(), return_index(i)) && probe.connect();
  const auto landed = probe.landed();
  std::vector<unsigned> result;
  for (unsigned i = 0; good && i < count; ++i)
    if (landed[i])
      result.push_back(i);
  if (result.size() != fds.size())
    result.clear(); // somebody came or went meanwhile, or a loop is too busy to accept
  return result;
}

bool lands_elsewhere(const socket_address& address, probe_book& probes) {
  prober probe{address, probes};
  auto good = true;
  for (size_t i = 0; i < checks; ++i)
    good = good && probe.connect();
  const auto landed = probe.landed();
  return good && std::none_of(landed.begin(), landed.end(), [](bool here) { return here; });
}

} // namespace

std::optional<steer_lock> steer_lock::take(const socket_address& address) {
  const auto fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return std::nullopt;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const auto text = "caf_app.steer." + to_string(address);
  const auto length = std::min(text.size(), sizeof name.sun_path - 1);
  std::memcpy(name.sun_path + 1, text.data(), length); // abstract: begins with a zero
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&name), size) == 0)
    return steer_lock{fd};
  ::close(fd);
  return std::nullopt;
}

steer_lock::~steer_lock() {
  if (fd_ >= 0)
    ::close(fd_);
}

steer_lock::steer_lock(steer_lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

steer_lock& steer_lock::operator=(steer_lock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void probe_book::expect(uint16_t port) {
  const std::lock_guard guard{mutex_};
  expected_.insert(port);
  expecting_ = true;
}

bool probe_book::note_expected(uint16_t port) {
  const std::lock_guard guard{mutex_};
  if (expected_.count(port) == 0)
    return false;
  seen_.insert(port);
  changed_.notify_all();
  return true;
}

std::vector<bool> probe_book::collect(std::span<const uint16_t> ports,
                                      std::chrono::milliseconds timeout) {
  std::unique_lock guard{mutex_};
  const auto here = [this](uint16_t port) { return seen_.count(port) != 0; };
  changed_.wait_for(guard, timeout, [&] { return std::all_of(ports.begin(), ports.end(), here); });
  std::vector<bool> result;
  for (const auto port : ports) {
    result.push_back(here(port));
    expected_.erase(port);
    seen_.erase(port);
  }
  expecting_ = !expected_.empty();
  return result;
}

steer_result steer_away(const socket_address& address, std::span<const int> fds,
                        probe_book& probes) {
  for (int i = 0; i < attempts; ++i) {
    const auto count = listeners_at(address);
    if (count <= fds.size())
      return steer_result::alone;
    const auto own = own_indices(address, fds, count, probes);
    if (!own.empty() && attach(fds.front(), draw_among(other_indices(count, own))) &&
        lands_elsewhere(address, probes))
      return steer_result::steered;
    stop_steering(fds.front());
  }
  return steer_result::failed;
}

bool steer_here(const socket_address& address, std::span<const int> fds, probe_book& probes) {
  for (int i = 0; i < attempts; ++i) {
    const auto own = own_indices(address, fds, listeners_at(address), probes);
    if (!own.empty() && attach(fds.front(), draw_among(own)))
      return true;
    stop_steering(fds.front());
  }
  return false;
}

void stop_steering(int fd) {
  const int none = 0;
  ::setsockopt(fd, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &none, sizeof none);
}

bool migrates_requests() {
  return content_of("/proc/sys/net/ipv4/tcp_migrate_req").starts_with('1');
}

std::pair<uint32_t, uint32_t> accept_queue(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
    return {};
  return {info.tcpi_unacked, info.tcpi_sacked};
}

} // namespace caf_app
