// Passes the requests of a route on to the servers of an upstream: what can be told from the head
// alone is answered here, the rest is a proxy_task's.
#pragma once

#include <memory>

#include "actors/http/exchange.hpp"
#include "actors/http/site_table.hpp"
#include "actors/http/upstream_plan_handler.hpp"

namespace caf_app::http {

/// Answers 502, 503 and 504 as upstream_call does.
class proxy_handler final : public route_handler {
public:
  proxy_handler(const route_entry& entry, upstream_plan_ptr plan)
      : entry_(entry), plan_(std::move(plan)) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override;

private:
  const route_entry& entry_;
  upstream_plan_ptr plan_;
};

} // namespace caf_app::http
