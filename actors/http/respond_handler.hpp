// `respond` routes: a fixed answer, serialised when the configuration was read.
#pragma once

#include <memory>

#include <caf/expected.hpp>

#include "actors/http/fixed_response.hpp"
#include "actors/http/site_table.hpp"

namespace caf_app::http {

class respond_handler final : public route_handler {
public:
  /// @param server value of the Server field
  /// @returns errc::invalid_config if a field or the type cannot be sent
  static caf::expected<std::unique_ptr<route_handler>> make(const route_entry& entry,
                                                            std::string_view server);

  explicit respond_handler(fixed_response answer) : answer_(std::move(answer)) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override {
    open.respond(answer_);
    return nullptr;
  }

private:
  fixed_response answer_;
};

} // namespace caf_app::http
