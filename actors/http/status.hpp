// Status codes: reason phrases, ready status lines, and which of them never carry content.
// RFC 9110 §15, RFC 6585.
#pragma once

#include <cstdint>
#include <string_view>

namespace caf_app::http {

/// @returns the phrase of the registry, or "Unknown"
std::string_view reason_phrase(uint16_t status) noexcept;

/// @returns "HTTP/1.1 404 Not Found\r\n" for codes with a phrase, empty for others
std::string_view status_line(uint16_t status) noexcept;

/// 1xx, 204 and 304 end with their head, whatever their fields say. RFC 9112 §6.3
constexpr bool is_bodiless(uint16_t status) noexcept {
  return status < 200 || status == 204 || status == 304;
}

} // namespace caf_app::http
