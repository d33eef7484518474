#include "actors/http/site_table.hpp"

#include <algorithm>
#include <utility>

#include "actors/http/h1_writer.hpp"
#include "actors/http/status.hpp"

namespace caf_app::http {

namespace {

method_set methods_of(const http_route& route) {
  if (route.methods.empty())
    return routable_methods;
  method_set result;
  for (const auto& name : route.methods)
    result.insert(parse_method(name));
  return result;
}

route_spec spec_of(const http_route& route, uint32_t index) {
  route_spec spec;
  spec.path = route.path;
  spec.match = route.match == route_match::exact ? path_match::exact : path_match::prefix;
  spec.methods = methods_of(route);
  spec.options = route.kind == route_kind::respond || route.kind == route_kind::files
                     ? options_answer::server
                     : options_answer::route;
  spec.rules = route.paths;
  spec.index = index;
  return spec;
}

} // namespace

refusal_content refusal_text(const route_entry* route, uint16_t status) {
  if (is_bodiless(status))
    return {};
  if (route && route->handler)
    if (auto text = route->handler->refusal_json(status); !text.empty())
      return {"application/json", std::move(text)};
  return {"text/plain", refusal_body(status)};
}

header_list with_defaults(header_list own, const header_list& defaults) {
  for (const auto& [name, value] : defaults)
    if (std::none_of(own.begin(), own.end(),
                     [&](const auto& line) { return equals_ignoring_case(line.first, name); }))
      own.emplace_back(name, value);
  return own;
}

void add_missing(std::vector<field>& fields, const header_list& defaults) {
  const auto own = fields.size();
  for (const auto& [name, value] : defaults)
    if (std::none_of(fields.begin(), fields.begin() + static_cast<ptrdiff_t>(own),
                     [&](const field& line) { return equals_ignoring_case(line.name, name); }))
      fields.push_back({name, value});
}

site_table::site_table(http_config_ptr config, metrics& registry)
    : config_(std::move(config)), unrouted_(registry, "-", "-") {}

caf::error site_table::add_route(const http_site& site, const http_route& route, metrics& registry,
                                 const std::function<caf::error(route_entry&)>& set_handler,
                                 site_spec& spec) {
  const auto& host = site.host.front();
  auto entry = std::make_unique<route_entry>(
      route_entry{route, host, with_defaults(route.headers, site.headers), nullptr,
                  route_metrics{registry, host, route.name},
                  host + ' ' + route.path + ' ' + std::to_string(static_cast<int>(route.match)) +
                      (route.methods.empty() ? "" : ' ' + route.methods.front())});
  if (auto err = set_handler(*entry))
    return err;
  spec.routes.push_back(spec_of(route, static_cast<uint32_t>(routes_.size())));
  routes_.push_back(std::move(entry));
  return caf::none;
}

caf::expected<std::shared_ptr<const site_table>>
site_table::make(http_config_ptr config, metrics& registry, const handler_factory& make_handler,
                 const std::vector<extra_route>& extras) {
  std::shared_ptr<site_table> table{new site_table(std::move(config), registry)};
  const auto from_factory = [&](route_entry& entry) -> caf::error {
    auto handler = make_handler(entry);
    if (!handler)
      return std::move(handler.error());
    entry.handler = std::move(*handler);
    return caf::none;
  };
  std::vector<site_spec> specs;
  for (const auto& site : table->config_->site) {
    auto& spec = specs.emplace_back();
    spec.hosts = site.host;
    spec.index = static_cast<uint32_t>(specs.size() - 1);
    for (const auto& extra : extras) {
      const auto make_extra = [&](route_entry& entry) -> caf::error {
        entry.handler = extra.make(entry);
        return caf::none;
      };
      if (auto err = table->add_route(site, extra.config, registry, make_extra, spec))
        return err;
    }
    for (const auto& route : site.route)
      if (auto err = table->add_route(site, route, registry, from_factory, spec))
        return err;
  }
  auto router = router::make(specs);
  if (!router)
    return std::move(router.error());
  table->router_.emplace(std::move(*router));
  return std::shared_ptr<const site_table>{std::move(table)};
}

} // namespace caf_app::http
