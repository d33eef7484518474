#include "nodes/local_nodes.hpp"

#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

constexpr size_t secret_bytes = 32;

bool same_host(const sockaddr* a, const sockaddr* b) {
  if (!a || !b || a->sa_family != b->sa_family)
    return false;
  if (a->sa_family == AF_INET)
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  return a->sa_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr, sizeof(in6_addr)) == 0;
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

caf::error failed(const char* call, const std::filesystem::path& file) {
  return caf::make_error(errc::io_failed,
                         std::string{call} + " " + file.string() + ": " + std::strerror(errno));
}

std::string random_digits() {
  std::array<unsigned char, secret_bytes> bytes{};
  for (size_t at = 0; at < bytes.size();) {
    const auto n = ::getrandom(bytes.data() + at, bytes.size() - at, 0);
    if (n > 0)
      at += static_cast<size_t>(n);
    else if (errno != EINTR)
      return {};
  }
  std::string result;
  for (const auto byte : bytes) {
    result += "0123456789abcdef"[byte >> 4];
    result += "0123456789abcdef"[byte & 15];
  }
  return result;
}

} // namespace

bool is_of_this_host(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0)
    return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses{found, &::freeaddrinfo};
  ifaddrs* own = nullptr;
  if (::getifaddrs(&own) != 0)
    return false;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> interfaces{own, &::freeifaddrs};
  for (const auto* i = addresses.get(); i; i = i->ai_next) {
    if (is_loopback(i->ai_addr))
      return true;
    for (const auto* k = interfaces.get(); k; k = k->ifa_next)
      if (same_host(i->ai_addr, k->ifa_addr))
        return true;
  }
  return false;
}

std::vector<const node_section*> local_nodes(const cluster_config& config) {
  std::vector<const node_section*> result;
  for (const auto& node : config.nodes)
    if (!node.link || is_of_this_host(node.link->host))
      result.push_back(&node);
  return result;
}

caf::error make_secret(const std::filesystem::path& file) {
  std::error_code ignored; // open() tells
  std::filesystem::create_directories(file.parent_path(), ignored);
  const auto fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return errno == EEXIST ? caf::error{} : failed("open", file);
  const auto text = random_digits();
  const auto written = text.empty() ? -1 : ::write(fd, text.data(), text.size());
  auto err =
      written == static_cast<ssize_t>(2 * secret_bytes) ? caf::error{} : failed("write", file);
  ::close(fd);
  if (err)
    ::unlink(file.c_str()); // half a secret would be taken for one
  return err;
}

} // namespace caf_app
