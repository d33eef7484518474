// `uri-host [":" port]` as it stands in Host, `:authority` and absolute targets. RFC 3986 §3.2.2,
// RFC 9112 §3.2. Stricter than the grammar: no percent, no sub-delims, no IPvFuture, no empty
// label;
// `_` is allowed because real names have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::http {

/// Longest name that is accepted, in bytes.
constexpr size_t host_bytes_max = 255;

/// An authority taken apart.
struct authority {
  std::string_view host;        ///< without one trailing dot; IPv6 with its brackets; never empty
  std::optional<uint16_t> port; ///< nothing if absent or empty
  bool has_upper = false;       ///< `host` has letters to fold
};

/// @returns nothing if `text` is no valid authority (or has userinfo)
std::optional<authority> parse_authority(std::string_view text) noexcept;

/// @returns a view of `name.host` in lower case: itself if it is already, else a copy in `scratch`
std::string_view fold_host(const authority& name, std::string& scratch);

/// Is `text` an IPv6 address (without brackets or zone)? RFC 3986 §3.2.2
bool is_ipv6(std::string_view text) noexcept;

} // namespace caf_app::http
