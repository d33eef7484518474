#include "caf_app/eval/json_text.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

enum class member_order : uint8_t { kept, sorted };

void write(std::string& to, const json& value, member_order order);

void write_member(std::string& to, const json::member& member, member_order order) {
  write_json_string(to, member.name);
  to += ':';
  write(to, member.value, order);
}

void write_object(std::string& to, const json::object& members, member_order order) {
  std::vector<const json::member*> list;
  list.reserve(members.size());
  for (auto& member : members)
    list.push_back(&member);
  if (order == member_order::sorted)
    std::sort(list.begin(), list.end(), [](auto a, auto b) { return a->name < b->name; });
  to += '{';
  for (auto member : list) {
    if (member != list.front())
      to += ',';
    write_member(to, *member, order);
  }
  to += '}';
}

void write(std::string& to, const json& value, member_order order) {
  switch (value.type()) {
    case json::kind::null: to += "null"; break;
    case json::kind::boolean: to += *value.if_bool() ? "true" : "false"; break;
    case json::kind::number: to += *value.if_number(); break;
    case json::kind::string: write_json_string(to, *value.if_string()); break;
    case json::kind::array: {
      to += '[';
      auto& items = *value.if_array();
      for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0)
          to += ',';
        write(to, items[i], order);
      }
      to += ']';
      break;
    }
    case json::kind::object: write_object(to, *value.if_object(), order); break;
  }
}

/// Length of the UTF-8 sequence that starts `text`, 0 if it is not well formed (RFC 3629).
size_t sequence_length(std::string_view text) {
  auto at = [&](size_t i) { return static_cast<uint8_t>(i < text.size() ? text[i] : 0); };
  auto tail = [&](size_t i) { return (at(i) & 0xC0) == 0x80; };
  const auto lead = at(0);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const auto low = lead == 0xE0 ? 0xA0 : 0x80;
    const auto high = lead == 0xED ? 0x9F : 0xBF; // beyond are the surrogates
    return at(1) >= low && at(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const auto low = lead == 0xF0 ? 0x90 : 0x80;
    const auto high = lead == 0xF4 ? 0x8F : 0xBF;
    return at(1) >= low && at(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

} // namespace

void write_json(std::string& to, const json& value) { write(to, value, member_order::kept); }

std::string to_text(const json& value) {
  std::string text;
  write_json(text, value);
  return text;
}

std::string canonical_text(const json& value) {
  std::string text;
  write(text, value, member_order::sorted);
  return text;
}

void write_json_string(std::string& to, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  to += '"';
  for (auto c : text) {
    switch (c) {
      case '"': to += "\\\""; break;
      case '\\': to += "\\\\"; break;
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          to += "\\u00";
          to += hex[c >> 4];
          to += hex[c & 15];
        } else {
          to += c;
        }
    }
  }
  to += '"';
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = sequence_length(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

} // namespace caf_app::eval
