// Keyed hashes, so that only files named tls_* touch OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace caf_app {

using sha256_digest = std::array<uint8_t, 32>;

/// SHA-256 of `bytes`, FIPS 180-4.
sha256_digest sha256(std::string_view bytes);

/// HMAC-SHA256 of `bytes`, RFC 2104. A key of any length will do.
sha256_digest hmac_sha256(std::string_view key, std::string_view bytes);

/// Compares without telling by its duration where the two differ.
bool equal_in_constant_time(const sha256_digest& a, const sha256_digest& b) noexcept;

} // namespace caf_app
