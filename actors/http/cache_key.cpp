#include "actors/http/cache_key.hpp"

#include <algorithm>
#include <array>

#include "actors/http/uri.hpp"

namespace caf_app::http {

namespace {

uint16_t usual_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

// Host in lower case, without the port that everybody means.
std::string normal_authority(std::string_view authority, std::string_view scheme) {
  auto result = to_lower(authority);
  const auto usual = ":" + std::to_string(usual_port(scheme));
  if (result.ends_with(usual) && result.size() > usual.size())
    result.erase(result.size() - usual.size());
  else if (result.ends_with(':'))
    result.pop_back();
  return result;
}

struct split_reference {
  std::string_view scheme;
  std::string_view authority;
  std::string_view rest; // path and query, without fragment
};

split_reference split(std::string_view reference) {
  split_reference result;
  reference = reference.substr(0, reference.find('#'));
  const auto colon = reference.find("://");
  if (colon != std::string_view::npos && reference.find_first_of("/?") > colon) {
    result.scheme = reference.substr(0, colon);
    reference.remove_prefix(colon + 1);
  }
  if (reference.starts_with("//")) {
    reference.remove_prefix(2);
    const auto end = std::min(reference.find_first_of("/?"), reference.size());
    result.authority = reference.substr(0, end);
    reference.remove_prefix(end);
    if (!reference.starts_with('/'))
      result.rest = "/";
  }
  if (result.rest.empty() || !reference.empty())
    result.rest = reference;
  return result;
}

// RFC 3986 §5.2.3, then the normal form. @returns nothing if there is none
std::optional<std::string> resolve(std::string_view base, std::string_view reference) {
  const auto base_path = base.substr(0, base.find('?'));
  std::string merged;
  if (reference.empty())
    merged = base;
  else if (reference.starts_with('/'))
    merged = reference;
  else if (reference.starts_with('?'))
    merged = std::string{base_path}.append(reference);
  else
    merged = std::string{base_path.substr(0, base_path.rfind('/') + 1)}.append(reference);
  const auto mark = std::min(merged.find('?'), merged.size());
  std::string scratch;
  const auto path = normalise_path(std::string_view{merged}.substr(0, mark), scratch,
                                   {slashes::keep, encoded_slash::keep});
  if (path.error != fault::none)
    return std::nullopt;
  return std::string{path.path}.append(merged, mark);
}

// "for=192.0.2.1" or "by=\"[::1]\"" (RFC 7239 §4), and nothing that could be read otherwise.
bool is_plain_node(std::string_view pair) {
  pair = trim_blanks(pair);
  const auto equals = std::min(pair.find('='), pair.size());
  const auto name = pair.substr(0, equals);
  if (!equals_ignoring_case(name, "for") && !equals_ignoring_case(name, "by"))
    return false;
  auto value = pair.substr(std::min(equals + 1, pair.size()));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view{"._-:[]"}.find(c) != std::string_view::npos;
  });
}

// Forwarded without the addresses, which are of one client each.
void append_forwarded(std::string& out, std::string_view value) {
  for (auto before = ','; !value.empty();) {
    const auto end = std::min(value.find_first_of(";,"), value.size());
    if (!is_plain_node(value.substr(0, end)))
      out.append(1, before).append(to_lower(trim_blanks(value.substr(0, end))));
    before = end < value.size() ? value[end] : ',';
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

// How the request came, as proxies before us say it: an origin that believes them answers by it.
void append_way(std::string& out, const field_list& fields) {
  constexpr std::array known{known_field::forwarded, known_field::x_forwarded_host,
                             known_field::x_forwarded_proto};
  if (std::none_of(known.begin(), known.end(), [&](known_field id) { return fields.has(id); }))
    return;
  out += '\n';
  for (const auto id : known) {
    for (const auto& line : fields)
      if (line.id == id && id == known_field::forwarded)
        append_forwarded(out, line.value);
      else if (line.id == id)
        out.append(",").append(to_lower(line.value));
    out += '|';
  }
}

} // namespace

void append_cache_key(std::string& out, const request_view& request) {
  out.append(request.path);
  if (!request.query.empty() || request.target.find('?') != std::string_view::npos)
    out.append(1, '?').append(request.query);
  out.append(1, '\n').append(request.host);
  if (request.port && *request.port != usual_port(request.scheme))
    out.append(1, ':').append(std::to_string(*request.port));
  out.append(1, '\n').append(request.scheme);
  if (request.fields)
    append_way(out, *request.fields);
}

cache_key_parts parts_of_key(std::string_view key) {
  const auto first = key.find('\n');
  const auto second = key.find('\n', first + 1);
  const auto third = std::min(key.find('\n', second + 1), key.size());
  return {key.substr(0, first), key.substr(first + 1, second - first - 1),
          key.substr(second + 1, third - second - 1), key.substr(third)};
}

std::vector<std::string> same_origin_keys(std::string_view key,
                                          const std::vector<std::string_view>& references) {
  const auto own = parts_of_key(key);
  std::vector<std::string> result;
  for (const auto reference : references) {
    const auto parts = split(reference);
    if (!parts.scheme.empty() && !equals_ignoring_case(parts.scheme, own.scheme))
      continue;
    if (!parts.authority.empty() && normal_authority(parts.authority, own.scheme) != own.authority)
      continue;
    if (auto target = resolve(own.target, parts.rest)) {
      auto other = std::move(*target) + "\n";
      other.append(own.authority).append(1, '\n').append(own.scheme).append(own.way);
      result.push_back(std::move(other));
    }
  }
  return result;
}

bool cache_purge::means(std::string_view key) const {
  if (what == kind::tag)
    return false;
  const auto parts = parts_of_key(key);
  if (!authority.empty() && normal_authority(authority, parts.scheme) != parts.authority)
    return false;
  return what == kind::url ? parts.target == target : parts.target.starts_with(target);
}

std::optional<cache_purge> parse_purge(cache_purge::kind what, std::string_view text) {
  cache_purge result;
  result.what = what;
  if (what == cache_purge::kind::tag) {
    result.target = text;
    return text.empty() ? std::nullopt : std::optional{result};
  }
  const auto parts = split(text);
  const auto knows_scheme = parts.scheme.empty() || equals_ignoring_case(parts.scheme, "http") ||
                            equals_ignoring_case(parts.scheme, "https");
  if (!knows_scheme || !parts.rest.starts_with('/') ||
      (!parts.scheme.empty() && parts.authority.empty()))
    return std::nullopt;
  auto target = resolve("/", parts.rest);
  if (!target)
    return std::nullopt;
  result.target = std::move(*target);
  result.authority = to_lower(parts.authority);
  return result;
}

} // namespace caf_app::http
