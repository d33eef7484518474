#include "actors/http/host.hpp"

#include "actors/http/field.hpp"
#include "actors/http/scan.hpp"
#include "actors/http/uri.hpp"

namespace caf_app::http {

namespace {

// Digits of a port up to the end of `text`. Returns false if they are none or too large.
bool parse_port(std::string_view text, std::optional<uint16_t>& port) noexcept {
  if (text.empty())
    return true;
  const auto value = parse_length(text);
  if (!value || *value > UINT16_MAX)
    return false;
  port = static_cast<uint16_t>(*value);
  return true;
}

bool is_ipv4(std::string_view text) noexcept {
  for (int part = 0; part < 4; ++part) {
    const auto length = std::min(text.find('.'), text.size());
    const auto digits = text.substr(0, length);
    const auto value = parse_length(digits);
    if (!value || *value > 255 || (digits.size() > 1 && digits.front() == '0'))
      return false;
    const bool last = length == text.size();
    if (last != (part == 3))
      return false;
    text.remove_prefix(last ? length : length + 1);
  }
  return true;
}

// "[...]" and what follows it.
std::optional<authority> parse_bracketed(std::string_view text) noexcept {
  const auto close = text.find(']');
  if (close == std::string_view::npos || !is_ipv6(text.substr(1, close - 1)))
    return std::nullopt;
  authority result;
  result.host = text.substr(0, close + 1);
  for (char c : result.host)
    result.has_upper |= c >= 'A' && c <= 'F';
  text.remove_prefix(close + 1);
  if (text.empty())
    return result;
  if (text.front() != ':' || !parse_port(text.substr(1), result.port))
    return std::nullopt;
  return result;
}

} // namespace

std::optional<authority> parse_authority(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '[')
    return parse_bracketed(text);
  authority result;
  size_t length = 0;
  char before = '.'; // so that a leading dot is an empty label
  for (; length < text.size() && text[length] != ':'; ++length) {
    const char c = text[length];
    if (!scan::is(c, scan::host) || (c == '.' && before == '.'))
      return std::nullopt;
    result.has_upper |= c >= 'A' && c <= 'Z';
    before = c;
  }
  if (length == 0 || length > host_bytes_max)
    return std::nullopt;
  result.host = text.substr(0, before == '.' ? length - 1 : length);
  if (length < text.size() && !parse_port(text.substr(length + 1), result.port))
    return std::nullopt;
  return result;
}

std::string_view fold_host(const authority& name, std::string& scratch) {
  if (!name.has_upper)
    return name.host;
  scratch.assign(name.host);
  for (auto& c : scratch)
    c = to_lower(c);
  return scratch;
}

bool is_ipv6(std::string_view text) noexcept {
  constexpr int groups_max = 8;
  int groups = 0;
  bool compressed = false;
  if (text.substr(0, 2) == "::") {
    compressed = true;
    text.remove_prefix(2);
    if (text.empty())
      return true;
  }
  for (;;) {
    const auto length = std::min(text.find(':'), text.size());
    const auto group = text.substr(0, length);
    if (length == text.size() && group.find('.') != std::string_view::npos) {
      groups += 2;
      return is_ipv4(group) && (compressed ? groups < groups_max : groups == groups_max);
    }
    if (group.empty() || group.size() > 4)
      return false;
    for (char c : group)
      if (hex_value(c) < 0)
        return false;
    ++groups;
    text.remove_prefix(length);
    if (text.empty())
      return compressed ? groups < groups_max : groups == groups_max;
    text.remove_prefix(1);
    if (!text.empty() && text.front() == ':') {
      if (compressed)
        return false;
      compressed = true;
      text.remove_prefix(1);
      if (text.empty())
        return groups < groups_max;
    }
    if (groups >= groups_max)
      return false;
  }
}

} // namespace caf_app::http
