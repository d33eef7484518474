#include "caf_app/eval/codec.hpp"

#include <charconv>
#include <stdexcept>

#include "caf_app/eval/decimal.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace detail {

namespace {

/// A value as an error message shows it: its text if short.
std::string shown(const json& value) {
  constexpr size_t shown_max = 40;
  if (value.if_array() || value.if_object())
    return std::string{article_of(value)};
  auto text = to_text(value);
  return text.size() <= shown_max ? text : std::string{article_of(value)};
}

} // namespace

bool expected(decode_fault& fault, const char* what, const json& got) {
  fault.text = std::string{"expected "} + what + ", got " + shown(got);
  return false;
}

void at_index(decode_fault& fault, size_t index) {
  fault.path.insert(0, "[" + std::to_string(index) + "]");
}

void at_member(decode_fault& fault, std::string_view name) {
  fault.path.insert(0, "." + std::string{name});
}

bool known_members(const json& from, const char* const* names, size_t count, decode_fault& fault) {
  for (auto& member : *from.if_object()) {
    size_t i = 0;
    while (i < count && member.name != names[i])
      ++i;
    if (i == count) {
      fault.text = "unknown member";
      at_member(fault, member.name);
      return false;
    }
  }
  return true;
}

bool missing(decode_fault& fault, const char* name) {
  fault.text = "missing";
  at_member(fault, name);
  return false;
}

std::string checked_name(const std::string& name) {
  if (!is_utf8(name))
    throw std::domain_error{"a member name is not UTF-8"};
  return name;
}

} // namespace detail

namespace {

const std::string* integer_text_of(const json& from) {
  auto text = from.if_number();
  return text && is_integer_text(*text) ? text : nullptr;
}

} // namespace

bool codec<integer>::decode(const json& from, integer& to, decode_fault& fault) {
  auto text = integer_text_of(from);
  if (!text)
    return detail::expected(fault, "an integer", from);
  to = *integer::parse(*text);
  return true;
}

json codec<integer>::encode(const integer& value) { return json::number_text{value.to_string()}; }

bool codec<nat>::decode(const json& from, nat& to, decode_fault& fault) {
  auto text = integer_text_of(from);
  auto value = text ? nat::parse(*text) : std::nullopt;
  if (!value)
    return detail::expected(fault, "a natural number", from);
  to = std::move(*value);
  return true;
}

json codec<nat>::encode(const nat& value) { return json::number_text{value.to_string()}; }

bool codec<int64_t>::decode(const json& from, int64_t& to, decode_fault& fault) {
  auto text = integer_text_of(from);
  if (!text)
    return detail::expected(fault, "an integer", from);
  if (std::from_chars(text->data(), text->data() + text->size(), to).ec != std::errc{})
    return detail::expected(fault, "an integer of 64 bits", from);
  return true;
}

json codec<int64_t>::encode(const int64_t& value) { return value; }

bool codec<double>::decode(const json& from, double& to, decode_fault& fault) {
  auto text = from.if_number();
  if (!text)
    return detail::expected(fault, "a number", from);
  auto [_, ec] = std::from_chars(text->data(), text->data() + text->size(), to);
  if (ec == std::errc{})
    return true;
  // Out of range says both: too large, which is a fault, and too close to zero, which is zero.
  if (decimal_of(*text).exponent > 0)
    return detail::expected(fault, "a number that fits a double", from);
  to = text->front() == '-' ? -0.0 : 0.0;
  return true;
}

json codec<double>::encode(const double& value) { return value; }

bool codec<bool>::decode(const json& from, bool& to, decode_fault& fault) {
  auto value = from.if_bool();
  if (!value)
    return detail::expected(fault, "a boolean", from);
  to = *value;
  return true;
}

json codec<bool>::encode(const bool& value) { return value; }

bool codec<std::string>::decode(const json& from, std::string& to, decode_fault& fault) {
  auto value = from.if_string();
  if (!value)
    return detail::expected(fault, "a string", from);
  to = *value;
  return true;
}

json codec<std::string>::encode(const std::string& value) {
  if (!is_utf8(value))
    throw std::domain_error{"a string is not UTF-8"};
  return value;
}

bool codec<json>::decode(const json& from, json& to, decode_fault&) {
  to = from;
  return true;
}

json codec<json>::encode(const json& value) {
  // Built by the project, hence not known to be valid: strings, numbers, duplicate names, depth.
  auto copy = read_json(to_text(value));
  if (auto fault = std::get_if<json_fault>(&copy))
    throw std::domain_error{"not a JSON value: " + fault->text};
  return std::get<json>(std::move(copy));
}

bool codec<unit>::decode(const json& from, unit&, decode_fault& fault) {
  return from.is_null() || detail::expected(fault, "null", from);
}

json codec<unit>::encode(const unit&) { return {}; }

} // namespace caf_app::eval
