// The test hooks, present only with `http.test_hooks = true`: /test/echo answers with the request's
// content and type, /test/block?ms=2 holds its loop by nanosleep, which looks like a busy loop and
// needs no core.
#pragma once

#include <vector>

#include "actors/http/site_table.hpp"

namespace caf_app::http {

/// @param limits bound the content of the echo
std::vector<extra_route> test_hook_routes(const http_limits& limits);

} // namespace caf_app::http
