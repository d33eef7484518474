// A request head that outlives the call it came with.
#pragma once

#include <string>
#include <string_view>

#include "actors/http/exchange.hpp"

namespace caf_app::http {

/// Does not move: its views are of its own bytes.
class kept_request {
public:
  /// Copies all that `view` views.
  explicit kept_request(const request_view& view);

  kept_request(const kept_request&) = delete;
  kept_request& operator=(const kept_request&) = delete;

  /// Views this object.
  const request_view& view() const noexcept { return view_; }
  const field_list& fields() const noexcept { return fields_; }

private:
  std::string_view keep(std::string_view text);

  std::string bytes_; // never grows after the constructor has reserved it
  field_list fields_;
  request_view view_;
};

} // namespace caf_app::http
