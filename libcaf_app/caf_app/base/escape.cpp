#include "caf_app/base/escape.hpp"

#include <cstdint>

namespace caf_app {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD
constexpr std::string_view hex = "0123456789abcdef";

uint8_t byte_at(std::string_view text, size_t index) { return static_cast<uint8_t>(text[index]); }

bool is_continuation(std::string_view text, size_t index) {
  return index < text.size() && (byte_at(text, index) & 0xC0) == 0x80;
}

/// The letter of a short escape that both JSON and people know, else 0.
char short_escape(char c) {
  switch (c) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
  }
}

void append_control(std::string& out, char c, std::string_view prefix) {
  if (const char letter = short_escape(c)) {
    out += '\\';
    out += letter;
    return;
  }
  out += prefix;
  out += hex[static_cast<uint8_t>(c) >> 4];
  out += hex[static_cast<uint8_t>(c) & 15];
}

/// C1 controls (U+0080 .. U+009F) drive terminals too.
bool is_wide_control(std::string_view text) {
  return text.size() > 1 && byte_at(text, 0) == 0xC2 && byte_at(text, 1) >= 0x80 &&
         byte_at(text, 1) < 0xA0;
}

/// Copies one sequence above ASCII or its replacement. @returns bytes consumed
size_t append_wide(std::string& out, std::string_view text) {
  if (const auto length = utf8_length(text)) {
    out += text.substr(0, length);
    return length;
  }
  out += replacement;
  return 1;
}

} // namespace

size_t utf8_length(std::string_view text) {
  if (text.empty())
    return 0;
  const auto first = byte_at(text, 0);
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4 || !is_continuation(text, 1))
    return 0;
  if (first < 0xE0)
    return 2;
  const auto second = byte_at(text, 1);
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return !overlong && !surrogate && is_continuation(text, 2) ? 3 : 0;
  }
  const bool overlong = first == 0xF0 && second < 0x90;
  const bool beyond = first == 0xF4 && second > 0x8F;
  return !overlong && !beyond && is_continuation(text, 2) && is_continuation(text, 3) ? 4 : 0;
}

void append_json_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    size_t consumed = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (is_wide_control(text)) {
      append_control(out, text[1], "\\u00");
      consumed = 2;
    } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F)
      append_control(out, c, "\\u00");
    else if (static_cast<uint8_t>(c) < 0x80)
      out += c;
    else
      consumed = append_wide(out, text);
    text.remove_prefix(consumed);
  }
}

void append_line_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    size_t consumed = 1;
    if (is_wide_control(text)) {
      append_control(out, text[1], "\\x");
      consumed = 2;
    } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F)
      append_control(out, c, "\\x");
    else if (static_cast<uint8_t>(c) < 0x80)
      out += c;
    else
      consumed = append_wide(out, text);
    text.remove_prefix(consumed);
  }
}

} // namespace caf_app
