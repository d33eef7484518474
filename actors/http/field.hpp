// Field lines: the grammar of names and values, the fields this server knows by number, and lists.
// RFC 9110 §5. A field is a pair of views; who owns the bytes is up to the parser behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace caf_app::http {

/// Fields that some part of the server looks for; found by number instead of by name.
enum class known_field : uint8_t {
  other,
  accept,
  accept_encoding,
  authorization,
  cache_control,
  connection,
  content_encoding,
  content_length,
  content_type,
  cookie,
  date,
  etag,
  expect,
  forwarded,
  host,
  if_match,
  if_modified_since,
  if_none_match,
  if_range,
  if_unmodified_since,
  keep_alive,
  last_modified,
  location,
  max_forwards,
  origin,
  proxy_connection,
  range,
  referer,
  request_timeout,
  server,
  te,
  trailer,
  transfer_encoding,
  upgrade,
  user_agent,
  vary,
  via,
  x_forwarded_for,
  x_forwarded_host,
  x_forwarded_proto,
  x_request_id,
};

/// Number of enumerators of `known_field`.
constexpr size_t known_field_count = static_cast<size_t>(known_field::x_request_id) + 1;

/// @param name in any case
/// @returns known_field::other if it is none of ours
known_field find_known_field(std::string_view name) noexcept;

/// @returns the name in lower case; empty for known_field::other
std::string_view to_string(known_field id) noexcept;

/// One field line. The value has no blanks at its ends.
struct field {
  std::string_view name; ///< as sent; HTTP/1 names may have any case
  std::string_view value;
  known_field id = known_field::other;
};

/// @returns whether one of `lines`, whose ids are set, is of this field
inline bool has_line(std::span<const field> lines, known_field id) noexcept {
  for (const auto& line : lines)
    if (line.id == id)
      return true;
  return false;
}

/// One or more tchar. RFC 9110 §5.6.2
bool is_token(std::string_view text) noexcept;

/// No control byte but HTAB; bytes from 0x80 pass. RFC 9110 §5.5
bool is_field_value(std::string_view text) noexcept;

/// Equal but for the case of ASCII letters.
bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// A copy in lower case (ASCII).
std::string to_lower(std::string_view text);

/// Without SP and HTAB at both ends.
std::string_view trim_blanks(std::string_view text) noexcept;

/// Takes the next element of a comma-separated list off `list`, trimmed; empty elements are
/// skipped, commas within quoted strings do not separate. RFC 9110 §5.6.1
/// @returns nothing at the end of the list
std::optional<std::string_view> next_list_element(std::string_view& list) noexcept;

/// Is `token` (lower case) an element of the list `value`, in any case?
bool has_list_token(std::string_view value, std::string_view token) noexcept;

/// Digits only, at most 2^63-1: the grammar of Content-Length. RFC 9110 §8.6
std::optional<uint64_t> parse_length(std::string_view digits) noexcept;

} // namespace caf_app::http
