#include "caf_app/eval/decimal.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t exponent_digits_max = 18;

/// Value of an exponent's text, after the 'e'.
long long exponent_of(std::string_view text) {
  const auto negative = text.front() == '-';
  if (text.front() == '-' || text.front() == '+')
    text.remove_prefix(1);
  while (text.size() > 1 && text.front() == '0')
    text.remove_prefix(1);
  long long value = 0;
  if (text.size() > exponent_digits_max)
    value = 1'000'000'000'000'000'000;
  else
    for (auto digit : text)
      value = value * 10 + (digit - '0');
  return negative ? -value : value;
}

} // namespace

bool is_integer_text(std::string_view text) {
  return text.find_first_of(".eE") == std::string_view::npos;
}

decimal decimal_of(std::string_view text) {
  decimal result;
  if (text.front() == '-') {
    result.negative = true;
    text.remove_prefix(1);
  }
  if (auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    result.exponent = exponent_of(text.substr(e + 1));
    text = text.substr(0, e);
  }
  auto point = text.find('.');
  auto whole = text.substr(0, point);
  result.digits = whole;
  result.exponent += static_cast<long long>(whole.size());
  if (point != std::string_view::npos)
    result.digits += text.substr(point + 1);
  auto first = result.digits.find_first_not_of('0');
  if (first == std::string::npos)
    return {}; // zero has no sign
  result.digits.erase(0, first);
  result.exponent -= static_cast<long long>(first);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

} // namespace caf_app::eval
