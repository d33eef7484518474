// How an http_service turns a configuration into the table that its connections work with: which
// handler answers which kind of route.
#include "actors/http/actor_handler.hpp"
#include "actors/http/eval_handler.hpp"
#include "actors/http/file_handler.hpp"
#include "actors/http/hook_handler.hpp"
#include "actors/http/http_supervisor.hpp"
#include "actors/http/proxy_handler.hpp"
#include "actors/http/redirect_handler.hpp"
#include "actors/http/respond_handler.hpp"

namespace caf_app::http {

caf::expected<http_service::plan_list> http_service::make_plans(const http_config& config) const {
  plan_list result;
  for (const auto& upstream : config.upstream) {
    auto plan = upstream_plan::make(upstream, *options_.books);
    if (!plan)
      return std::move(plan.error());
    result.push_back(std::move(*plan));
  }
  return result;
}

caf::expected<site_table_ptr> http_service::make_table(http_config_ptr config,
                                                       const plan_list& plans) const {
  auto extras = options_.extras;
  if (config->test_hooks)
    for (auto& hook : test_hook_routes(config->limits))
      extras.push_back(std::move(hook));
  return site_table::make(
      config, *options_.books,
      [this, &config, &plans](const route_entry& entry) {
        return make_handler(*config, plans, entry);
      },
      extras);
}

caf::expected<std::unique_ptr<route_handler>>
http_service::make_handler(const http_config& config, const plan_list& plans,
                           const route_entry& entry) const {
  switch (entry.config.kind) {
    case route_kind::respond: return respond_handler::make(entry, config.server);
    case route_kind::files: return file_handler::make(entry, ++handlers_made_, config.server);
    case route_kind::redirect: return std::make_unique<redirect_handler>(entry);
    case route_kind::actor:
      return std::make_unique<actor_handler>(entry, options_.names, *options_.books);
    case route_kind::proxy:
      for (const auto& plan : plans)
        if (plan->config.name == entry.config.proxy.upstream)
          return std::make_unique<proxy_handler>(entry, plan);
      break;
    case route_kind::eval: return std::make_unique<eval_handler>(entry, options_.names);
  }
  return caf::make_error(errc::invalid_config, "route " + entry.config.path + " has no handler");
}

} // namespace caf_app::http
