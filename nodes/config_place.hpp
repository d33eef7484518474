// Where in a cluster file something is written, for complaints that come after the reading: when
// files are opened and names looked up.
#pragma once

#include <string_view>

#include <caf/error.hpp>

#include "caf_app/base/config_value.hpp"

namespace caf_app {

/// @param path keys, and numbers of list elements from 0, with dots between: "http.site.0.host"
/// @returns the value there; null if it is not written, or `from` is null
const config_value* find_at(const config_value* from, std::string_view path);

/// @returns `why` with the place of `where` before its text, unless one of them is nothing
caf::error at_place(const config_value* where, const caf::error& why);

} // namespace caf_app
