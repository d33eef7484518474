// A file of lines that cannot grow without bound: two files, the older one with ".1" at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "caf_app/base/append_file.hpp"

namespace caf_app::scaler {

/// For one writer; a line is a fact of its own, so what cannot be written is not tried again.
class journal {
public:
  static constexpr uint64_t bytes_max = 4 << 20; ///< of each of the two files

  /// Goes on with the file if there is one. An empty path writes nothing.
  explicit journal(std::filesystem::path file);

  /// Appends a line, given without its end. @returns false if it could not be written whole
  bool write(std::string_view line);

private:
  std::filesystem::path path_;
  append_file file_;
};

} // namespace caf_app::scaler
