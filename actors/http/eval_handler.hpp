// `eval` routes: the request goes to the evaluator's front on this node (the name `eval`) as it is,
// and its reply comes back. What it means is the evaluator's business; here are the content's
// collection, the deadline, cancellation when the client leaves, and logs that are streamed while
// they grow.
#pragma once

#include <memory>

#include "actors/http/connection_base.hpp"
#include "actors/http/site_table.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app::http {

class eval_handler final : public route_handler {
public:
  eval_handler(const route_entry& entry, std::shared_ptr<const registry> names)
      : entry_(entry), names_(std::move(names)) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override;

  /// In the form of the API's own errors.
  std::string refusal_json(uint16_t status) const override;

private:
  class call;

  const route_entry& entry_;
  std::shared_ptr<const registry> names_;
};

} // namespace caf_app::http
