// The configuration of the web tier in the form that requests need: router, handlers, prepared
// fields, counters. Built once per configuration, immutable, shared by pointer: requests in flight
// keep the one that they began with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/exchange.hpp"
#include "actors/http/http_config.hpp"
#include "actors/http/http_metrics.hpp"
#include "actors/http/router.hpp"

namespace caf_app::http {

/// One route and all that belongs to it.
struct route_entry {
  http_route config;
  std::string site;    ///< first host of the site
  header_list headers; ///< of the route, then of the site: set unless the handler did
  std::unique_ptr<route_handler> handler;
  route_metrics counters;
  std::string rate_id; ///< the same route has the same one in the next configuration
};

/// The content of a refusal that the server makes itself.
struct refusal_content {
  std::string_view type; ///< empty: there is no content
  std::string body;
};

/// @param route null: of no route
refusal_content refusal_text(const route_entry* route, uint16_t status);

/// @returns `own`, then those of `defaults` whose names `own` does not have
header_list with_defaults(header_list own, const header_list& defaults);

/// Adds those of `defaults` whose names `fields` does not have, as views.
void add_missing(std::vector<field>& fields, const header_list& defaults);

/// Makes the handler of a route. @returns errc::invalid_config
using handler_factory =
    std::function<caf::expected<std::unique_ptr<route_handler>>(const route_entry& entry)>;

/// A route that no configuration names: test hooks, the admin interface. Part of every site.
struct extra_route {
  http_route config;
  std::function<std::unique_ptr<route_handler>(const route_entry& entry)> make;
};

/// One configuration. Any thread.
class site_table {
public:
  /// @returns errc::invalid_config if two routes or sites contradict each other or a handler cannot
  /// be made
  static caf::expected<std::shared_ptr<const site_table>>
  make(http_config_ptr config, metrics& registry, const handler_factory& make_handler,
       const std::vector<extra_route>& extras = {});

  const http_config& config() const noexcept { return *config_; }
  const http_limits& limits() const noexcept { return config_->limits; }
  const http::router& router() const noexcept { return *router_; }
  const route_entry& route(uint32_t index) const noexcept { return *routes_[index]; }

  /// Counts requests that no route took.
  const route_metrics& unrouted() const noexcept { return unrouted_; }

private:
  site_table(http_config_ptr config, metrics& registry);

  caf::error add_route(const http_site& site, const http_route& route, metrics& registry,
                       const std::function<caf::error(route_entry&)>& set_handler, site_spec& spec);

  http_config_ptr config_;
  std::vector<std::unique_ptr<route_entry>> routes_;
  std::optional<http::router> router_; // set by make()
  route_metrics unrouted_;
};

using site_table_ptr = std::shared_ptr<const site_table>;

} // namespace caf_app::http
