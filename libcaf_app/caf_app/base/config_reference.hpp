// The reference of a configuration as Markdown, out of the tables that read it: what is written
// there is what is accepted.
#pragma once

#include <string>
#include <vector>

#include "caf_app/base/config_rule.hpp"

namespace caf_app {

/// A heading and a table of keys per section; tables inside of a section follow it under headings
/// of their own, as they are written in TOML.
/// @param sections of a file, in order
std::string to_markdown(const std::vector<config_key>& sections);

} // namespace caf_app
