#include "caf_app/loop/socket_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstring>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

caf::error bad_address(std::string_view text) {
  return caf::make_error(errc::invalid_argument, "address \"" + std::string{text} +
                                                     "\": expected A.B.C.D:PORT, "
                                                     "[IPV6]:PORT or unix:/PATH");
}

caf::expected<socket_address> parse_unix(std::string_view text, std::string_view path) {
  socket_address result;
  auto& un = reinterpret_cast<sockaddr_un&>(result.storage);
  if (path.empty())
    return bad_address(text);
  if (path.size() >= sizeof un.sun_path)
    return caf::make_error(errc::invalid_argument,
                           "path of Unix socket \"" + std::string{path} + "\" has " +
                               std::to_string(path.size()) + " bytes; at most " +
                               std::to_string(sizeof un.sun_path - 1) + " fit");
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return result;
}

} // namespace

uint16_t socket_address::port() const noexcept {
  switch (family()) {
    case AF_INET: return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
    case AF_INET6: return ntohs(reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
    default: return 0;
  }
}

caf::expected<socket_address> parse_socket_address(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return bad_address(text.substr(0, text.find('\0')));
  if (text.starts_with("unix:"))
    return parse_unix(text, text.substr(5));
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return bad_address(text);
  auto host = text.substr(0, colon);
  const auto digits = text.substr(colon + 1);
  uint16_t port = 0;
  const auto [end, bad] = std::from_chars(digits.begin(), digits.end(), port);
  if (bad != std::errc{} || end != digits.end())
    return bad_address(text);
  socket_address result;
  const auto bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string name{bracketed ? host.substr(1, host.size() - 2) : host};
  auto& in4 = reinterpret_cast<sockaddr_in&>(result.storage);
  auto& in6 = reinterpret_cast<sockaddr_in6&>(result.storage);
  if (bracketed && ::inet_pton(AF_INET6, name.c_str(), &in6.sin6_addr) == 1) {
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(port);
    result.size = sizeof in6;
    return result;
  }
  if (!bracketed && ::inet_pton(AF_INET, name.c_str(), &in4.sin_addr) == 1) {
    in4.sin_family = AF_INET;
    in4.sin_port = htons(port);
    result.size = sizeof in4;
    return result;
  }
  return bad_address(text);
}

std::string host_of(const socket_address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.family() == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, text,
                sizeof text);
  else if (address.family() == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr, text,
                sizeof text);
  return text;
}

std::string to_string(const socket_address& address) {
  switch (address.family()) {
    case AF_INET: return host_of(address) + ":" + std::to_string(address.port());
    case AF_INET6: return "[" + host_of(address) + "]:" + std::to_string(address.port());
    default: {
      constexpr auto head = offsetof(sockaddr_un, sun_path);
      const auto* path = reinterpret_cast<const sockaddr_un&>(address.storage).sun_path;
      return "unix:" + (address.size > head ? std::string{path} : std::string{});
    }
  }
}

} // namespace caf_app
