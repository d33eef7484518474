// Looks for the script of a path on the disk, so it runs on a worker. Only an existing regular file
// below the root with an allowed extension is ever named to a FastCGI server: an upload such as
// /x.jpg/y.php cannot be run.
#pragma once

#include <string_view>

#include "actors/http/fastcgi_options.hpp"
#include "actors/http/fastcgi_script.hpp"

namespace caf_app::http {

/// Blocks.
/// @param below what of the path is below the route, normalised: empty or begins with '/'
fastcgi_script find_script(const fastcgi_options& options, std::string_view below);

} // namespace caf_app::http
