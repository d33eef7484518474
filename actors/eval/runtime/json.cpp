#include "caf_app/eval/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "caf_app/eval/decimal.hpp"

namespace caf_app::eval {

namespace {

/// Objects up to this size are compared by search, larger ones by sorting their names.
constexpr size_t small_object = 16;

json::number_text text_of(double value) {
  if (!std::isfinite(value))
    throw std::domain_error{"JSON has no NaN and no infinity"};
  char buffer[40];
  auto [end, _] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {std::string(buffer, end)};
}

std::vector<const json::member*> by_name(const json::object& members) {
  std::vector<const json::member*> sorted;
  for (auto& member : members)
    sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return a->name < b->name; });
  return sorted;
}

bool same_members(const json& left, const json& right) {
  auto& a = *left.if_object();
  auto& b = *right.if_object();
  if (a.size() != b.size())
    return false;
  if (a.size() <= small_object)
    return std::all_of(a.begin(), a.end(), [&](const json::member& member) {
      auto other = right.find(member.name);
      return other && member.value == *other;
    });
  auto sorted_a = by_name(a);
  auto sorted_b = by_name(b);
  return std::equal(sorted_a.begin(), sorted_a.end(), sorted_b.begin(),
                    [](auto x, auto y) { return x->name == y->name && x->value == y->value; });
}

} // namespace

json::json(double value) : data_(text_of(value)) {}
json::json(object members) : data_(std::move(members)) {}
json::json(const json&) = default;
json::json(json&&) noexcept = default;
json& json::operator=(const json&) = default;
json& json::operator=(json&&) noexcept = default;
json::~json() = default;

const json* json::find(std::string_view name) const noexcept {
  if (auto members = if_object())
    for (auto& member : *members)
      if (member.name == name)
        return &member.value;
  return nullptr;
}

void json::add(std::string name, json value) {
  if (is_null())
    data_ = object{};
  std::get<object>(data_).push_back({std::move(name), std::move(value)});
}

size_t json::depth() const noexcept {
  size_t below = 0;
  if (auto items = if_array()) {
    for (auto& item : *items)
      below = std::max(below, item.depth());
    return below + 1;
  }
  if (auto members = if_object()) {
    for (auto& member : *members)
      below = std::max(below, member.value.depth());
    return below + 1;
  }
  return 0;
}

bool operator==(const json& left, const json& right) {
  if (left.type() != right.type())
    return false;
  switch (left.type()) {
    case json::kind::null: return true;
    case json::kind::boolean: return *left.if_bool() == *right.if_bool();
    case json::kind::number:
      return *left.if_number() == *right.if_number() ||
             decimal_of(*left.if_number()) == decimal_of(*right.if_number());
    case json::kind::string: return *left.if_string() == *right.if_string();
    case json::kind::array: return *left.if_array() == *right.if_array();
    case json::kind::object: return same_members(left, right);
  }
  return false;
}

std::string_view article_of(const json& value) {
  switch (value.type()) {
    case json::kind::null: return "null";
    case json::kind::boolean: return "a boolean";
    case json::kind::number: return "a number";
    case json::kind::string: return "a string";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
  }
  return "nothing";
}

} // namespace caf_app::eval
