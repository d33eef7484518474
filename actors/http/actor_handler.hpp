// `actor` routes: the request becomes an ask of a named actor, with a deadline. The name is looked
// up for every request, so an actor that moved or was restarted is found again at once.
//
// A dead target is asked once more for GET and HEAD after another look-up; anything that may have
// been delivered is never repeated. When the client goes away the ask is dropped and the actor of
// an HTTP face gets http_cancel.
#pragma once

#include <memory>

#include "actors/http/connection_base.hpp"
#include "actors/http/site_table.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app::http {

/// With the JSON face content has to be JSON (else 400 or 415). The statuses of failures are
/// failure_of's.
class actor_handler final : public route_handler {
public:
  actor_handler(const route_entry& entry, std::shared_ptr<const registry> names, metrics& books);

  std::unique_ptr<exchange_task> start(exchange& open) const override;

private:
  class call;

  std::unique_ptr<exchange_task> start_http(exchange& open,
                                            std::chrono::milliseconds timeout) const;
  std::unique_ptr<exchange_task> start_json(exchange& open,
                                            std::chrono::milliseconds timeout) const;

  const route_entry& entry_;
  std::shared_ptr<const registry> names_;
  actor_metrics counters_;
};

} // namespace caf_app::http
