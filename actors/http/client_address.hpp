// Who is at the other end: the peer of the connection, or the client that a trusted proxy names in
// Forwarded (RFC 7239) or X-Forwarded-For. Text in, text out; nothing is resolved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/field_list.hpp"

namespace caf_app::http {

/// A block of addresses such as 10.0.0.0/8 or 2001:db8::/32.
struct address_block {
  std::array<uint8_t, 16> bytes{}; ///< IPv4 as IPv4 in IPv6
  unsigned bits = 128;             ///< that count
  std::string text;                ///< as written

  bool operator==(const address_block& other) const {
    return bytes == other.bytes && bits == other.bits;
  }
};

/// @returns nothing unless `text` is an address, or one with "/" and a length that leaves no bits
/// set
std::optional<address_block> parse_address_block(std::string_view text);

/// @param address without port; what is no address is in no block
bool is_within(std::string_view address, const std::vector<address_block>& blocks);

/// "192.0.2.1:80" -> "192.0.2.1", "[::1]:80" -> "::1"; what has no port stays.
std::string_view without_port(std::string_view peer);

/// The client of a request. Proxies append to a list, so it is read from its end as long as those
/// who wrote are trusted, over at most 32 of them.
/// @param peer with port, as exchange::peer()
/// @returns an address without port
std::string client_address(std::string_view peer, const field_list& fields,
                           const std::vector<address_block>& trusted);

/// What identifies a request in logs and towards others: X-Request-Id of a trusted peer if it has 1
/// to 128 visible ASCII characters, else made.
/// @param made of numbers that differ for every request
std::string request_id(std::string_view peer, const field_list& fields,
                       const std::vector<address_block>& trusted, uint64_t seed, uint64_t number);

} // namespace caf_app::http
