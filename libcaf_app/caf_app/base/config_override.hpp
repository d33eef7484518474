// `--set key=value`: one value of a configuration, written on the command line.
#pragma once

#include <string_view>

#include <caf/error.hpp>

#include "caf_app/base/config_value.hpp"

namespace caf_app {

/// Puts `value` at the dotted `key` of `root`, makes the tables on the way and replaces what was
/// there. A number is an index into a list: `http.site.0.host`. The value is TOML, or else a
/// string.
/// @param option `key=value`
/// @returns errc::invalid_config that names the option
caf::error apply_override(config_value& root, std::string_view option);

} // namespace caf_app
