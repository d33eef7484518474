#include "actors/http/field.hpp"

#include <array>

#include "actors/http/scan.hpp"

namespace caf_app::http {

namespace {

// In the order of `known_field`.
constexpr std::array<std::string_view, known_field_count> names{
    "",
    "accept",
    "accept-encoding",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "date",
    "etag",
    "expect",
    "forwarded",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "last-modified",
    "location",
    "max-forwards",
    "origin",
    "proxy-connection",
    "range",
    "referer",
    "request-timeout",
    "server",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-request-id",
};

constexpr size_t slot_count = 256;

// No two names share length, first and last letter; the factors that make the slots of these three
// distinct are searched while compiling.
constexpr size_t slot_of(std::string_view name, unsigned a, unsigned b) noexcept {
  const auto first = static_cast<unsigned char>(name.front() | 0x20);
  const auto last = static_cast<unsigned char>(name.back() | 0x20);
  return (name.size() * a + first * b + last) % slot_count;
}

struct perfect_hash {
  unsigned a = 0;
  unsigned b = 0;
  std::array<uint8_t, slot_count> ids{};
};

constexpr bool fill(perfect_hash& hash) {
  hash.ids = {};
  for (size_t id = 1; id < names.size(); ++id) {
    auto& slot = hash.ids[slot_of(names[id], hash.a, hash.b)];
    if (slot != 0)
      return false;
    slot = static_cast<uint8_t>(id);
  }
  return true;
}

constexpr perfect_hash search() {
  perfect_hash hash;
  for (hash.a = 1; hash.a < slot_count; hash.a += 2)
    for (hash.b = 1; hash.b < 64; ++hash.b)
      if (fill(hash))
        return hash;
  return {};
}

constexpr auto slots = search();
static_assert(slots.a != 0, "the search found no factors");

} // namespace

known_field find_known_field(std::string_view name) noexcept {
  if (name.empty())
    return known_field::other;
  const auto id = slots.ids[slot_of(name, slots.a, slots.b)];
  return equals_ignoring_case(name, names[id]) ? static_cast<known_field>(id) : known_field::other;
}

std::string_view to_string(known_field id) noexcept { return names[static_cast<size_t>(id)]; }

bool is_token(std::string_view text) noexcept {
  const auto* end = text.data() + text.size();
  return !text.empty() && scan::skip(text.data(), end, scan::tchar) == end;
}

bool is_field_value(std::string_view text) noexcept {
  const auto* end = text.data() + text.size();
  return scan::find_control(text.data(), end) == end;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i]))
      return false;
  return true;
}

std::string to_lower(std::string_view text) {
  std::string result{text};
  for (auto& c : result)
    c = to_lower(c);
  return result;
}

std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && scan::is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && scan::is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> next_list_element(std::string_view& list) noexcept {
  while (!list.empty()) {
    bool quoted = false;
    size_t length = 0;
    for (; length < list.size() && (quoted || list[length] != ','); ++length) {
      if (list[length] == '"')
        quoted = !quoted;
      else if (quoted && list[length] == '\\' && length + 1 < list.size())
        ++length;
    }
    const auto element = trim_blanks(list.substr(0, length));
    list.remove_prefix(length < list.size() ? length + 1 : length);
    if (!element.empty())
      return element;
  }
  return std::nullopt;
}

bool has_list_token(std::string_view value, std::string_view token) noexcept {
  while (const auto element = next_list_element(value))
    if (equals_ignoring_case(*element, token))
      return true;
  return false;
}

std::optional<uint64_t> parse_length(std::string_view digits) noexcept {
  constexpr uint64_t max = INT64_MAX;
  if (digits.empty())
    return std::nullopt;
  uint64_t value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (max - digit) / 10)
      return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

} // namespace caf_app::http
