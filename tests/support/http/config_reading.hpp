// What a test writes as `[http]`, read as a node reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/http/http_config.hpp"
#include "caf_app/base/config.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::http::test {

struct reading {
  http_config value;
  std::string error; ///< empty: none
};

inline reading read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  reading result;
  auto file = config_file::parse(text, "f.toml", "/etc/app", overrides);
  if (!file) {
    result.error = describe(file.error());
    return result;
  }
  file->read("http", http_config_rule(), result.value);
  if (const auto failed = file->finish())
    result.error = describe(failed);
  return result;
}

} // namespace caf_app::http::test
