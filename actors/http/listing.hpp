// The page that lists a directory. Names are bytes of a file system: they are escaped for HTML
// where they are read and for URIs where they are linked.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf_app::http {

struct listing_entry {
  std::string name; ///< without slashes
  bool is_directory = false;
  uint64_t size = 0; ///< bytes; not shown for directories
  std::chrono::sys_seconds modified;
};

/// Text for HTML, also between quotes. What is no UTF-8 becomes U+FFFD, controls are left out.
std::string escape_html(std::string_view text);

/// One segment of a path: all but unreserved bytes as %XX (RFC 3986 §2.3).
std::string escape_segment(std::string_view name);

/// An HTML page: directories first, then by name. Links are relative to `path`, which ends with
/// '/'.
/// @param path as the client asked for it, decoded
std::string list_directory(std::string_view path, std::vector<listing_entry> entries);

} // namespace caf_app::http
