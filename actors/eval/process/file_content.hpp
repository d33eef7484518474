// Files that are read as a whole: logs, sources, records.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace caf_app::eval {

/// @returns the bytes of a file; none if it cannot be read
inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace caf_app::eval
