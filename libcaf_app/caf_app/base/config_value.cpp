#include "caf_app/base/config_value.hpp"

#include "caf_app/base/escape.hpp"

namespace caf_app {

namespace {

constexpr size_t shown_bytes_max = 60;

/// The beginning of a string, quoted, without anything that would disturb a terminal.
std::string shown(std::string_view text) {
  std::string out = "\"";
  append_json_escaped(out, text.substr(0, shown_bytes_max));
  return out + (text.size() > shown_bytes_max ? "...\"" : "\"");
}

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

} // namespace

std::string to_string(const config_position& at) {
  const auto source = at.source ? *at.source : std::string{"configuration"};
  if (at.line == 0)
    return source;
  return source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

const config_member* config_value::find_member(std::string_view key) const {
  if (const auto* members = as_table())
    for (const auto& member : *members)
      if (member.key == key)
        return &member;
  return nullptr;
}

const config_value* config_value::find(std::string_view key) const {
  const auto* member = find_member(key);
  return member ? &member->value : nullptr;
}

std::string describe(const config_value& value) {
  return std::visit(
      overloaded{[](bool x) { return std::string{"the boolean "} + (x ? "true" : "false"); },
                 [](int64_t x) { return "the integer " + std::to_string(x); },
                 [](double x) { return "the number " + std::to_string(x); },
                 [](const std::string& x) { return "the string " + shown(x); },
                 [](config_value::date) { return std::string{"a date or time"}; },
                 [](const config_value::array& x) {
                   const bool tables = !x.empty() && x.front().as_table();
                   return std::string{tables ? "a list of tables" : "a list"};
                 },
                 [](const config_value::table&) { return std::string{"a table"}; }},
      value.data);
}

} // namespace caf_app
