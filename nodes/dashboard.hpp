// The dashboard of the admin interface: a page at `/`, its script and style, and the events that it
// follows. The files of nodes/dashboard/ are part of the program; nothing else is loaded by them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/http/site_table.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

/// @param admin name of the admin actor, whom /v1/events asks
std::vector<http::extra_route> dashboard_routes(const std::shared_ptr<const registry>& names,
                                                const std::string& admin);

} // namespace caf_app
