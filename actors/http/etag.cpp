#include "actors/http/etag.hpp"

#include <charconv>

#include "actors/http/field.hpp"

namespace caf_app::http {

namespace {

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
}

bool is_etag_byte(unsigned char c) { return c == 0x21 || (c >= 0x23 && c <= 0x7e) || c >= 0x80; }

// Takes one tag off the front. The W is case-sensitive.
std::optional<entity_tag> take_tag(std::string_view& text) {
  entity_tag result;
  auto rest = text;
  if (rest.starts_with("W/")) {
    result.weak = true;
    rest.remove_prefix(2);
  }
  if (!rest.starts_with('"'))
    return std::nullopt;
  rest.remove_prefix(1);
  size_t length = 0;
  while (length < rest.size() && is_etag_byte(rest[length]))
    ++length;
  if (length == rest.size() || rest[length] != '"')
    return std::nullopt;
  result.opaque = rest.substr(0, length);
  text = rest.substr(length + 1);
  return result;
}

void append_hex(std::string& out, uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  out.append(digits, end);
}

std::string quoted(const entity_tag& tag) {
  std::string result = tag.weak ? "W/\"" : "\"";
  result += tag.opaque;
  return result += '"';
}

// The tag without "-coding", if it is one that coded_etag may have made.
std::optional<std::string_view> base_of(const entity_tag& tag, std::string_view coding) {
  const auto suffix_size = coding.size() + 1;
  if (!tag.weak || tag.opaque.size() < suffix_size || !tag.opaque.ends_with(coding) ||
      tag.opaque[tag.opaque.size() - suffix_size] != '-')
    return std::nullopt;
  return tag.opaque.substr(0, tag.opaque.size() - suffix_size);
}

} // namespace

std::optional<entity_tag> parse_entity_tag(std::string_view text) {
  text = trim_blanks(text);
  auto result = take_tag(text);
  return text.empty() ? result : std::nullopt;
}

bool strong_match(const entity_tag& left, const entity_tag& right) {
  return !left.weak && !right.weak && left.opaque == right.opaque;
}

bool weak_match(const entity_tag& left, const entity_tag& right) {
  return left.opaque == right.opaque;
}

bool entity_tag_list::any() const { return trim_blanks(rest_) == "*"; }

std::optional<entity_tag> entity_tag_list::next() {
  // Empty members are allowed to senders of old (RFC 9110 §5.6.1.2).
  while (!rest_.empty() && (rest_.front() == ',' || rest_.front() == ' ' || rest_.front() == '\t'))
    rest_.remove_prefix(1);
  if (rest_.empty())
    return std::nullopt;
  auto result = take_tag(rest_);
  skip_blanks(rest_);
  if (!result || (!rest_.empty() && rest_.front() != ',')) {
    rest_ = {};
    return std::nullopt;
  }
  return result;
}

std::string file_etag(int64_t mtime_ns, uint64_t size, std::string_view coding) {
  std::string result = "\"";
  append_hex(result, static_cast<uint64_t>(mtime_ns));
  result += '-';
  append_hex(result, size);
  if (!coding.empty()) {
    result += '-';
    result += coding;
  }
  return result += '"';
}

std::string coded_etag(std::string_view tag, std::string_view coding) {
  const auto parsed = parse_entity_tag(tag);
  if (!parsed)
    return std::string{tag};
  std::string result = "W/\"";
  result += parsed->opaque;
  result += '-';
  result += coding;
  return result += '"';
}

std::string with_uncoded_tags(std::string_view if_none_match, std::string_view coding) {
  entity_tag_list list{if_none_match};
  if (list.any())
    return std::string{if_none_match};
  std::string result;
  const auto add = [&](const entity_tag& tag) {
    if (!result.empty())
      result += ", ";
    result += quoted(tag);
  };
  while (const auto tag = list.next()) {
    add(*tag);
    if (const auto base = base_of(*tag, coding))
      add({false, *base}); // weak or strong makes no difference to If-None-Match
  }
  return result;
}

std::string repeated_etag(std::string_view if_none_match, std::string_view tag,
                          std::string_view coding) {
  const auto given = parse_entity_tag(tag);
  if (!given)
    return std::string{tag};
  entity_tag_list list{if_none_match};
  while (const auto asked = list.next())
    if (base_of(*asked, coding) == given->opaque)
      return quoted(*asked);
  return std::string{tag};
}

} // namespace caf_app::http
