// Runs scripts on FastCGI servers such as PHP-FPM.
#pragma once

#include <memory>
#include <string>

#include "actors/http/exchange.hpp"
#include "actors/http/site_table.hpp"
#include "actors/http/upstream_plan_handler.hpp"

namespace caf_app::http {

/// 404 without a script, 502 for an answer that is none, 503 without a server or descriptor, 504
/// for a late one.
class fastcgi_handler final : public route_handler {
public:
  /// @param id of this handler, never used twice in a process
  fastcgi_handler(const route_entry& entry, uint64_t id, upstream_plan_ptr plan)
      : entry_(entry), prefix_(std::to_string(id)), plan_(std::move(plan)) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override;

private:
  const route_entry& entry_;
  std::string prefix_; // of keys among the scripts of a loop
  upstream_plan_ptr plan_;
};

} // namespace caf_app::http
