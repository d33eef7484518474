// How an http_service turns a configuration into the table that its connections work with: which
// handler answers which kind of route.
#include <algorithm>

#include "actors/http/actor_handler.hpp"
#include "actors/http/answer_coder_handler.hpp"
#include "actors/http/cache_actor.hpp"
#include "actors/http/cache_handler.hpp"
#include "actors/http/eval_handler.hpp"
#include "actors/http/fastcgi_handler.hpp"
#include "actors/http/fastcgi_limits.hpp"
#include "actors/http/file_handler.hpp"
#include "actors/http/hook_handler.hpp"
#include "actors/http/http_supervisor.hpp"
#include "actors/http/proxy_handler.hpp"
#include "actors/http/redirect_handler.hpp"
#include "actors/http/respond_handler.hpp"

namespace caf_app::http {

namespace {

bool runs_scripts(const http_config& config, const std::string& upstream) {
  const auto uses_it = [&](const http_route& route) {
    return route.kind == route_kind::fastcgi && route.fastcgi.upstream == upstream;
  };
  return std::any_of(config.site.begin(), config.site.end(), [&](const http_site& site) {
    return std::any_of(site.route.begin(), site.route.end(), uses_it);
  });
}

// The others code what they have in advance.
bool codes_answers(const http_route& route) {
  return route.compress && route.kind != route_kind::files && route.kind != route_kind::respond &&
         route.kind != route_kind::redirect;
}

} // namespace

caf::expected<http_service::plan_list> http_service::make_plans(const http_config& config) const {
  plan_list result;
  for (auto upstream : config.upstream) {
    if (runs_scripts(config, upstream.name)) // adr/0016-fastcgi-connections.md
      upstream.keepalive_idle =
          std::min<http_upstream::ms>(upstream.keepalive_idle, limits::http::fastcgi_idle);
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
      [this, &config, &plans, cache = make_cache(*config)](
          const route_entry& entry) -> caf::expected<std::unique_ptr<route_handler>> {
        auto made = make_handler(*config, plans, entry);
        if (made && cache && entry.config.cache)
          made = std::make_unique<cache_handler>(entry, std::move(*made), cache);
        if (made && codes_answers(entry.config))
          made = std::make_unique<answer_coder_handler>(std::move(*made));
        return made;
      },
      extras);
}

// What is stored outlives a configuration, as long as the limits stay.
cache_service_ptr http_service::make_cache(const http_config& config) const {
  const auto& cache = config.cache;
  if (cache.size == 0)
    return nullptr;
  using std::chrono::floor;
  using std::chrono::seconds;
  const cache_rules rules{cache.heuristic, floor<seconds>(cache.heuristic_max),
                          floor<seconds>(cache.stale_while_revalidate),
                          floor<seconds>(cache.stale_if_error)};
  return std::make_shared<const cache_service>(
      cache_service{caches_->store({cache.size, cache.max_object, cache.max_variants}), rules,
                    cache.lock_timeout, cache_metrics{*options_.books}, caches_, config.server});
}

caf::error http_service::purge(const std::string& json) {
  const auto what = parse_purge_request(json);
  if (!what)
    return what.error();
  caches_->purge(*what);
  return caf::none;
}

void http_service::pass_purges_on_to(std::function<void(const std::string& json)> to) {
  caches_->pass_on_to(std::move(to));
}

child_spec http_service::cache_spec() const {
  child_spec result;
  result.id = "cache";
  result.start = [caches = caches_, names = options_.names,
                  log = options_.log](const start_context& start) -> caf::expected<caf::actor> {
    auto actor = start.system.spawn(cache_actor, caches, log);
    if (auto joined = names->join(cache_group, actor); !joined)
      return std::move(joined.error());
    return actor;
  };
  return result;
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
    case route_kind::fastcgi:
      for (const auto& plan : plans)
        if (plan->config.name == entry.config.fastcgi.upstream)
          return std::make_unique<fastcgi_handler>(entry, ++handlers_made_, plan);
      break;
    case route_kind::eval: return std::make_unique<eval_handler>(entry, options_.names);
  }
  return caf::make_error(errc::invalid_config, "route " + entry.config.path + " has no handler");
}

} // namespace caf_app::http
