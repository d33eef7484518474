// Which addresses the effect `http` may connect to: those of the public Internet.
#pragma once

#include <cstdint>
#include <span>

namespace caf_app::eval {

/// @param address 4 bytes (IPv4) or 16 (IPv6), network order; any other length is not public
/// @returns false for what the registries of special-purpose addresses (RFC 6890) list: loopback,
///   private, link-local, shared, documentation, benchmark, multicast, reserved; and for IPv6
///   addresses that hold such an IPv4 address
bool is_public_address(std::span<const uint8_t> address);

} // namespace caf_app::eval
