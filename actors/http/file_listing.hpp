// Reads a directory for its listing. Blocks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "actors/http/file_path.hpp"
#include "actors/http/file_limits.hpp"

namespace caf_app::http {

/// @param folder a descriptor of the directory, opened for reading
/// @param path of the request, normalised and escaped
/// @param open opens an entry as a request for it would, for its facts; -1: it is not shown
/// @returns an HTML page of at most limits::http::listing_entries files and directories; nothing if
/// the directory cannot be read (errno tells)
std::optional<std::string> list_folder(int folder, std::string_view path, dotfiles rule,
                                       const std::function<int(const std::string& name)>& open);

} // namespace caf_app::http
