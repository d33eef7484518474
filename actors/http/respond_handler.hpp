// Answers every request of its route with the same prepared response, in the content coding that
// the client prefers: those are compressed once, when the configuration is read.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/coding.hpp"
#include "actors/http/exchange.hpp"
#include "actors/http/fixed_response.hpp"
#include "actors/http/site_table.hpp"

namespace caf_app::http {

class respond_handler final : public route_handler {
public:
  /// @param server value of the Server field
  /// @returns errc::invalid_config if the response holds bytes that HTTP does not allow
  static caf::expected<std::unique_ptr<route_handler>> make(const route_entry& entry,
                                                            std::string_view server);

  std::unique_ptr<exchange_task> start(exchange& open) const override;

private:
  respond_handler() = default;

  std::optional<fixed_response> plain_;                // set by make()
  std::array<std::optional<fixed_response>, 4> coded_; // by coding
  std::vector<coding> codings_;                        // that there are, preferred first
};

} // namespace caf_app::http
