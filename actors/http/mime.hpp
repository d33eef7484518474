// The media type of a file by the end of its name. Text gets charset=utf-8: it is what almost all
// files are, and without it a browser guesses.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace caf_app::http {

/// Types of a route's option `types`: extension in lower case without dot -> type.
using mime_overrides = std::unordered_map<std::string, std::string>;

/// @param name of a file, may be a path; what follows its last dot counts, in any case
/// @returns the type, "application/octet-stream" for what is not known. Views `overrides` or
///          constants
std::string_view mime_type(std::string_view name, const mime_overrides& overrides = {});

} // namespace caf_app::http
