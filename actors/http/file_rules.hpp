// What a route of kind "files" serves and how: its options, as the handler's parts use them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/http/coding.hpp"
#include "actors/http/file_path.hpp"
#include "actors/http/mime.hpp"

namespace caf_app::http {

enum class symlinks : uint8_t {
  inside, ///< followed as long as they stay below the root
  none,   ///< not found
};

/// What a route serves, from `files = "/dir"` and the keys beside it.
struct file_rules {
  std::string root; ///< opened anew for each search, so that it may be replaced
  std::vector<std::string> index{"index.html"};
  bool listing = false;
  http::dotfiles dotfiles = http::dotfiles::hide;
  http::symlinks symlinks = http::symlinks::inside;
  std::vector<coding> precompressed{coding::br, coding::zstd, coding::gzip};
  std::string fallback; ///< name below the root of what is served instead of 404; empty: nothing
  mime_overrides types;
};

} // namespace caf_app::http
