// A shared cache (RFC 9111) in front of the handler of a route. What is stored and fresh is
// answered at once; anything else is a cache_task, which fetches, validates, or waits for another
// request's fetch.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "actors/http/cache_metrics.hpp"
#include "actors/http/cache_policy.hpp"
#include "actors/http/cache_store.hpp"
#include "actors/http/exchange.hpp"
#include "actors/http/site_table.hpp"

namespace caf_app::http {

class cache_keeper;

/// What the cached routes of a configuration share.
struct cache_service {
  std::shared_ptr<cache_store> store;
  cache_rules rules;
  std::chrono::milliseconds lock_timeout{5'000}; ///< how long a request waits for another's fetch
  cache_metrics counters;
  std::shared_ptr<cache_keeper> keeper; ///< below which refreshes run; null: there are none
  std::string server;                   ///< the field Server of our own responses
};

using cache_service_ptr = std::shared_ptr<const cache_service>;

/// Answers like `inner`, but for what is stored; refusals are those of `inner`.
class cache_handler final : public route_handler {
public:
  cache_handler(const route_entry& entry, std::unique_ptr<route_handler> inner,
                cache_service_ptr service)
      : entry_(entry), inner_(std::move(inner)), service_(std::move(service)) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override;
  std::string refusal_json(uint16_t status) const override { return inner_->refusal_json(status); }

  const route_handler& inner() const noexcept { return *inner_; }
  const route_entry& entry() const noexcept { return entry_; }
  const cache_service& service() const noexcept { return *service_; }

private:
  const route_entry& entry_;
  std::unique_ptr<route_handler> inner_;
  cache_service_ptr service_;
};

} // namespace caf_app::http
