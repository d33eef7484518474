#include "nodes/dashboard.hpp"

#include "actors/http/respond_handler.hpp"
#include "caf_app/base/assert.hpp"
#include "nodes/dashboard_files.hpp"
#include "nodes/events_handler.hpp"

namespace caf_app {

namespace {

// Names of actors, groups and sites come from elsewhere: even if one of them became markup, nothing
// would run and nothing would leave.
constexpr auto policy = "default-src 'none'; script-src 'self'; style-src 'self'; "
                        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'";

http::http_route route_at(const char* path) {
  http::http_route route;
  route.path = path;
  route.name = "admin"; // one label in metrics for all of the interface
  route.match = http::route_match::exact;
  route.methods = {"GET", "HEAD"};
  return route;
}

http::extra_route file_at(const char* path, const char* type, std::string_view body) {
  auto route = route_at(path);
  route.kind = http::route_kind::respond;
  route.compress = false;
  route.respond.type = type;
  route.respond.body = body;
  route.respond.headers = {{"Content-Security-Policy", policy},
                           {"X-Content-Type-Options", "nosniff"},
                           {"Referrer-Policy", "no-referrer"},
                           {"Cache-Control", "no-cache"}};
  return {std::move(route), [](const http::route_entry& entry) {
            auto made = http::respond_handler::make(entry, "");
            CAF_APP_ASSERT(made); // our own bytes
            return std::move(*made);
          }};
}

} // namespace

std::vector<http::extra_route> dashboard_routes(const std::shared_ptr<const registry>& names,
                                                const std::string& admin) {
  auto events = route_at("/v1/events");
  events.kind = http::route_kind::actor;
  events.actor.name = admin;
  return {file_at("/", "text/html; charset=utf-8", dashboard_files::page),
          file_at("/dashboard.js", "text/javascript; charset=utf-8", dashboard_files::script),
          file_at("/dashboard.css", "text/css; charset=utf-8", dashboard_files::style),
          {std::move(events), [names, admin](const http::route_entry&) {
             return std::make_unique<events_handler>(events_options{names, admin});
           }}};
}

} // namespace caf_app
