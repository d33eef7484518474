// Dates of HTTP fields: written as IMF-fixdate, read in all three formats. RFC 9110 §5.6.7.
// Time is an argument, in seconds since 1970-01-01T00:00:00Z.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace caf_app::http {

/// "Sun, 06 Nov 1994 08:49:37 GMT", always 29 characters.
using http_date = std::array<char, 29>;

/// @param seconds between the years 0 and 9999; clamped to them
http_date format_http_date(int64_t seconds) noexcept;

/// Reads IMF-fixdate, RFC 850 and asctime dates, strictly: one space, names in exact case, GMT,
/// days that exist; the name of the day must be one but need not fit. A leap second counts as
/// second 59.
/// @param now decides the century of a two-digit year: never over 50 years ahead
/// @returns seconds, or nothing if `text` is no date
std::optional<int64_t> parse_http_date(std::string_view text, int64_t now) noexcept;

inline std::string_view to_string_view(const http_date& date) noexcept {
  return {date.data(), date.size()};
}

} // namespace caf_app::http
