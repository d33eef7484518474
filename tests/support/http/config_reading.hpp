// What a test writes as `[http]`, read as a node reads it.
#pragma once

#include "actors/http/http_config.hpp"
#include "support/config_reading.hpp"

namespace caf_app::http::test {

using reading = caf_app::test::config_reading<http_config>;

inline reading read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  return caf_app::test::read_config<http_config>(
      text, overrides, [](auto& file, auto& out) { file.read("http", http_config_rule(), out); });
}

} // namespace caf_app::http::test
