// Numbers of JSON as text: is it an integer, are two the same number?
#pragma once

#include <string>
#include <string_view>

namespace caf_app::eval {

/// Whether the JSON number `text` has neither fraction nor exponent.
bool is_integer_text(std::string_view text);

/// An exact decimal: 0.digits * 10^exponent, digits without zeros at either end.
struct decimal {
  bool negative = false;
  std::string digits;     ///< empty for zero, which is never negative
  long long exponent = 0; ///< of ten

  bool operator==(const decimal&) const = default;
};

/// @param text a valid JSON number; an exponent beyond 18 digits counts as the largest
decimal decimal_of(std::string_view text);

} // namespace caf_app::eval
