// What a test writes as a cluster file, read as a node reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "caf_app/base/config.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::test {

template <class T>
struct config_reading {
  T value;
  std::string error; ///< empty: none
};

/// @param read takes the file and the value to fill: one section, or several
template <class T, class Read>
config_reading<T> read_config(std::string_view text, const std::vector<std::string>& overrides,
                              Read read) {
  config_reading<T> result;
  auto file = config_file::parse(text, "f.toml", "/etc/app", overrides);
  if (!file) {
    result.error = describe(file.error());
    return result;
  }
  read(*file, result.value);
  if (const auto failed = file->finish())
    result.error = describe(failed);
  return result;
}

} // namespace caf_app::test
