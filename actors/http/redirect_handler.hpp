// `redirect` routes: a Location made of a template in which ${path} and ${query} stand for parts of
// the request.
#pragma once

#include "actors/http/site_table.hpp"

namespace caf_app::http {

class redirect_handler final : public route_handler {
public:
  explicit redirect_handler(const route_entry& entry) : entry_(entry) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override;

private:
  const route_entry& entry_;
};

} // namespace caf_app::http
