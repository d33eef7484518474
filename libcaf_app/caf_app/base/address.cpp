#include "caf_app/base/address.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <caf/ipv4_address.hpp>
#include <caf/ipv6_address.hpp>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

constexpr size_t name_bytes_max = 253; // RFC 1035 §2.3.4, without the length bytes
constexpr size_t label_bytes_max = 63;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Digits only, below 65536.
std::optional<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, port);
  if (failed != std::errc{} || rest != end)
    return std::nullopt;
  return port;
}

bool is_ipv4(std::string_view text) {
  // CAF also takes octets with leading zeros, which other programs read as octal.
  caf::ipv4_address address;
  if (parse(caf::string_view{text.data(), text.size()}, address))
    return false;
  return to_string(address) == text;
}

bool is_ipv6(std::string_view text) {
  caf::ipv6_address address;
  return text.find(':') != std::string_view::npos &&
         !parse(caf::string_view{text.data(), text.size()}, address);
}

/// Labels of letters, digits, `-` and `_`; not all digits and dots, which is a broken IPv4 address.
bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > name_bytes_max)
    return false;
  if (text.find_first_not_of("0123456789.") == std::string_view::npos)
    return false;
  while (true) {
    const auto label = text.substr(0, text.find('.'));
    const auto good = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; };
    if (label.empty() || label.size() > label_bytes_max || label.front() == '-' ||
        label.back() == '-' || !std::all_of(label.begin(), label.end(), good))
      return false;
    if (label.size() == text.size())
      return true;
    text.remove_prefix(label.size() + 1);
  }
}

caf::error refuse(std::string_view text) {
  return caf::make_error(
      errc::invalid_argument,
      "found \"" + std::string{text} +
          "\", expected \"host:port\" such as \"127.0.0.1:8080\" or \"[::1]:8080\"");
}

} // namespace

std::string to_string(const host_port& where) {
  const auto port = ":" + std::to_string(where.port);
  return where.kind == host_kind::ipv6 ? "[" + where.host + "]" + port : where.host + port;
}

caf::expected<host_port> parse_host_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return refuse(text);
  auto host = text.substr(0, colon);
  const auto port = parse_port(text.substr(colon + 1));
  if (!port)
    return refuse(text);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (is_ipv6(host))
      return host_port{std::string{host}, *port, host_kind::ipv6};
    return refuse(text);
  }
  if (is_ipv4(host))
    return host_port{std::string{host}, *port, host_kind::ipv4};
  if (is_host_name(host))
    return host_port{std::string{host}, *port, host_kind::name};
  return refuse(text);
}

bool is_loopback(const host_port& where) {
  switch (where.kind) {
    case host_kind::ipv4: return where.host.starts_with("127.");
    case host_kind::ipv6: {
      caf::ipv6_address address;
      return !parse(caf::string_view{where.host.data(), where.host.size()}, address) &&
             to_string(address) == "::1";
    }
    case host_kind::name: return where.host == "localhost";
  }
  return false;
}

} // namespace caf_app
