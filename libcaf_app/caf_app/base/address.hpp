// A place to listen at or to connect to, as text: "127.0.0.1:8080", "[::1]:8080", "db.local:5432".
// It knows the spelling only; resolving and sockets are loop's.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <caf/expected.hpp>

namespace caf_app {

/// How the host of an address is written.
enum class host_kind { ipv4, ipv6, name };

/// A host and a port; compares by spelling, not by what a resolver would say.
struct host_port {
  std::string host;  ///< without brackets
  uint16_t port = 0; ///< 0 when listening: the system picks one
  host_kind kind = host_kind::ipv4;

  auto operator<=>(const host_port&) const = default;
};

/// "host:port", with brackets around an IPv6 address.
std::string to_string(const host_port& where);

/// @returns errc::invalid_argument with what was found and what would do
caf::expected<host_port> parse_host_port(std::string_view text);

/// @returns whether only this host can reach it: 127.0.0.0/8, ::1 or the name "localhost"
bool is_loopback(const host_port& where);

} // namespace caf_app
