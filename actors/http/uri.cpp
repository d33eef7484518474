#include "actors/http/uri.hpp"

#include <algorithm>

#include "actors/http/field.hpp"
#include "actors/http/scan.hpp"

namespace caf_app::http {

namespace {

// Every byte may stand in a target, and every '%' begins an escape.
bool is_clean(std::string_view text) noexcept {
  const auto* end = text.data() + text.size();
  if (scan::skip(text.data(), end, scan::target) != end)
    return false;
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3))
    if (text.size() - at < 3 || hex_value(text[at + 1]) < 0 || hex_value(text[at + 2]) < 0)
      return false;
  return true;
}

// Divides "/path?query".
void split_path(std::string_view text, target_parts& parts) noexcept {
  const auto mark = text.find('?');
  parts.has_query = mark != std::string_view::npos;
  parts.path = text.substr(0, mark);
  if (parts.has_query)
    parts.query = text.substr(mark + 1);
}

std::optional<target_parts> parse_absolute(method what, std::string_view target) noexcept {
  target_parts parts;
  parts.form = target_form::absolute;
  const auto colon = target.find("://");
  if (colon == std::string_view::npos)
    return std::nullopt;
  const auto name = target.substr(0, colon);
  if (equals_ignoring_case(name, "http"))
    parts.scheme = scheme::http;
  else if (equals_ignoring_case(name, "https"))
    parts.scheme = scheme::https;
  else
    return std::nullopt;
  target.remove_prefix(colon + 3);
  const auto length = std::min(target.find_first_of("/?"), target.size());
  parts.authority = target.substr(0, length);
  if (parts.authority.empty() || parts.authority.find('@') != std::string_view::npos)
    return std::nullopt;
  target.remove_prefix(length);
  split_path(target, parts);
  if (parts.path.empty()) // RFC 9112 §3.2.1 and, for OPTIONS, §3.2.4
    parts.path = what == method::options && !parts.has_query ? "*" : "/";
  return parts;
}

// The next segment of a path, normalised but for dots. Returns a fault or none.
fault append_segment(std::string_view raw, encoded_slash rule, std::string& out) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\')
      return fault::path;
    if (raw[i] != '%') {
      out += raw[i];
      continue;
    }
    const auto high = i + 2 < raw.size() ? hex_value(raw[i + 1]) : -1;
    const auto low = i + 2 < raw.size() ? hex_value(raw[i + 2]) : -1;
    if (high < 0 || low < 0)
      return fault::target;
    i += 2;
    const auto byte = static_cast<char>(high * 16 + low);
    if (byte == '\0' || byte == '\\' || (byte == '/' && rule == encoded_slash::reject))
      return fault::path;
    if (scan::is(byte, scan::unreserved))
      out += byte;
    else
      out.append({'%', digits[static_cast<size_t>(high)], digits[static_cast<size_t>(low)]});
  }
  return fault::none;
}

// May `raw` be used as it is? Escapes, backslashes, segments "." and ".." and, if they
// are to be merged, double slashes need a second look.
bool is_normal(std::string_view raw, slashes rule) noexcept {
  const auto* at = raw.data();
  const auto* end = at + raw.size();
  for (;;) {
    at = scan::skip(at, end, scan::path_plain);
    if (at == end)
      return true;
    if (*at == '%' || *at == '\\')
      return false;
    if (*at == '/' && at + 1 != end) {
      if (at[1] == '/' && rule == slashes::merge)
        return false;
      const auto* name = at + 1;
      for (int dots = 0; dots < 2 && name != end && *name == '.'; ++dots)
        ++name;
      if (name != at + 1 && (name == end || *name == '/'))
        return false;
    }
    ++at;
  }
}

void merge_slashes(std::string& path) {
  const auto both = [](char a, char b) { return a == '/' && b == '/'; };
  path.erase(std::unique(path.begin(), path.end(), both), path.end());
}

} // namespace

std::optional<target_parts> parse_target(method what, std::string_view target) noexcept {
  if (target.empty() || !is_clean(target))
    return std::nullopt;
  target_parts parts;
  if (what == method::connect) {
    if (target.find_first_of("/?@") != std::string_view::npos || target == "*")
      return std::nullopt;
    parts.form = target_form::authority;
    parts.authority = target;
    return parts;
  }
  if (target.front() == '/') {
    split_path(target, parts);
    return parts;
  }
  if (target == "*") {
    if (what != method::options)
      return std::nullopt;
    parts.form = target_form::asterisk;
    parts.path = target;
    return parts;
  }
  return parse_absolute(what, target);
}

normal_path normalise_path(std::string_view raw, std::string& scratch, path_rules rules) {
  if (raw.empty() || raw.front() != '/')
    return {fault::target, {}};
  if (is_normal(raw, rules.slashes))
    return {fault::none, raw};
  std::string out;
  out.reserve(raw.size());
  // Each round takes "/segment"; `out` never ends with a slash of its own between rounds.
  while (!raw.empty()) {
    raw.remove_prefix(1);
    const auto length = std::min(raw.find('/'), raw.size());
    const auto begin = out.size();
    out += '/';
    if (const auto error = append_segment(raw.substr(0, length), rules.encoded_slash, out);
        error != fault::none)
      return {error, {}};
    raw.remove_prefix(length);
    const auto segment = std::string_view{out}.substr(begin + 1);
    if (segment != "." && segment != "..")
      continue;
    const bool up = segment == "..";
    out.resize(begin);
    if (up) {
      if (out.empty())
        return {fault::path, {}};
      out.resize(out.rfind('/'));
    }
    if (raw.empty())
      out += '/';
  }
  if (rules.slashes == slashes::merge)
    merge_slashes(out);
  scratch.swap(out);
  return {fault::none, scratch};
}

std::string decode_path(std::string_view path) {
  std::string result;
  result.reserve(path.size());
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 2 < path.size() && hex_value(path[i + 1]) >= 0 &&
        hex_value(path[i + 2]) >= 0) {
      result += static_cast<char>(hex_value(path[i + 1]) * 16 + hex_value(path[i + 2]));
      i += 2;
    } else {
      result += path[i];
    }
  }
  return result;
}

} // namespace caf_app::http
