// From the path of a request to names in a file system, and back to links: pure text. Opening is
// the handler's, with openat2 and RESOLVE_BENEATH, which is what guards the root; this is the
// policy before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::http {

enum class dotfiles : uint8_t {
  hide, ///< a segment that begins with a dot is not found
  serve,
};

/// The name below the root for a normalised path below its route.
/// @param below empty or begins with '/', as request_view::below; percent escapes are decoded here
/// @returns relative, without slashes at its ends; "." for the root itself; nullopt if the answer
/// is
///          404: hidden, NUL, an escaped slash, dot segments, an empty segment, or longer than
///          PATH_MAX
std::optional<std::string> file_path(std::string_view below, dotfiles rule);

/// Whether the path asks for a directory.
bool asks_for_directory(std::string_view below);

/// The Location that adds the slash of a directory. It stays on this host whatever the path is:
/// "//evil" becomes "/.//evil/".
/// @param path the normalised path of the request, begins with '/'
/// @param query raw, without '?'
std::string directory_location(std::string_view path, std::string_view query);

} // namespace caf_app::http
