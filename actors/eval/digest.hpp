// SHA-256, plain and keyed, as lower-case hex.
#pragma once

#include <string>
#include <string_view>

namespace caf_app::eval {

std::string sha256_hex(std::string_view bytes);
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

/// Comparison that takes the same time whatever differs; false for other lengths.
bool same_digest(std::string_view left, std::string_view right);

} // namespace caf_app::eval
