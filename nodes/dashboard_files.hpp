// The bytes of nodes/dashboard/, which the build puts into the program.
#pragma once

#include <string_view>

namespace caf_app::dashboard_files {

extern const std::string_view page;   ///< index.html
extern const std::string_view script; ///< dashboard.js
extern const std::string_view style;  ///< dashboard.css

} // namespace caf_app::dashboard_files
