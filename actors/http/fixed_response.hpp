// A response that never changes but for its date: serialised once per configuration, then copied.
// This is the hot path of `respond` routes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/http/exchange.hpp"
#include "actors/http/h1_chunked.hpp"
#include "actors/http/h1_writer.hpp"

namespace caf_app::http {

class fixed_response {
public:
  /// @param answer is copied
  /// @param server value of the Server field, empty omits it
  /// @returns nothing if a field or the type is not valid in HTTP
  static std::optional<fixed_response> make(const response& answer, std::string_view server);

  /// The general form, for protocols and connections that need other fields.
  response view() const noexcept;

  /// The HTTP/1.1 form for a connection that goes on.
  const h1_prepared_response& h1() const noexcept { return h1_; }

  uint16_t status() const noexcept { return status_; }
  size_t body_size() const noexcept { return body_.size(); }

private:
  explicit fixed_response(h1_prepared_response h1) : h1_(std::move(h1)) {}

  uint16_t status_ = 200;
  std::string content_type_;
  std::string body_;
  std::vector<owned_field> owned_;
  std::vector<field> fields_; // views of owned_
  h1_prepared_response h1_;
};

} // namespace caf_app::http
