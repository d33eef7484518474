// TOML text to config_value. toml++ stays behind it: its header costs seconds per file.
#pragma once

#include <string>
#include <string_view>

#include <caf/expected.hpp>

#include "caf_app/base/config_value.hpp"

namespace caf_app {

/// @param source what positions call the text
/// @returns errc::invalid_config with the position of the first thing that is no TOML
caf::expected<config_value> parse_toml(std::string_view text, const std::string& source);

/// Reads one value, such as `true`, `"1MiB"` or `["a", "b"]`; its position is `at`, all over.
/// @returns errc::invalid_config if the whole text is no single TOML value
caf::expected<config_value> parse_toml_value(std::string_view text, const config_position& at);

} // namespace caf_app
