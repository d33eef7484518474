// A folder of the host as source files. Taken without following links, so that what is read is
// below the folder; the folder itself is left untouched.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

/// Reads all regular files below `path`, sorted. `.git` and build folders (named `build`, or with a
/// CMakeCache.txt) are skipped; links and special files are refused, as is more than the limits of
/// sources (declaration.hpp) and more than 64 folders in one another.
/// @returns the files, or what is wrong
std::variant<std::vector<source_file>, std::string> snapshot_folder(const std::string& path);

} // namespace caf_app::eval
