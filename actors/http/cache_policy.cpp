#include "actors/http/cache_policy.hpp"

#include <algorithm>
#include <array>

#include "actors/http/etag.hpp"
#include "actors/http/http_date.hpp"

namespace caf_app::http {

namespace {

using std::chrono::seconds;

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return equals_ignoring_case(each, name); });
}

// RFC 9110 §15.1, without 206, which is never stored.
bool is_heuristically_cacheable(uint16_t status) {
  constexpr std::array<uint16_t, 11> statuses{200, 203, 204, 300, 301, 308,
                                              404, 405, 410, 414, 501};
  return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

// Parts and answers to preconditions say nothing about the whole.
bool is_whole(uint16_t status) {
  return status >= 200 && status != 206 && status != 304 && status != 412 && status != 416;
}

bool has_explicit_lifetime(const cache_entry& entry) {
  return entry.control.s_maxage || entry.control.max_age ||
         std::any_of(entry.fields.begin(), entry.fields.end(), [](const cached_field& line) {
           return equals_ignoring_case(line.name, "expires");
         });
}

bool has_field(const cache_entry& entry, std::string_view name) {
  return std::any_of(entry.fields.begin(), entry.fields.end(), [&](const cached_field& line) {
    return equals_ignoring_case(line.name, name);
  });
}

seconds staleness(const cache_entry& entry, steady::time_point now) {
  return entry.age(now) - entry.lifetime;
}

} // namespace

cache_request read_cache_request(method what, const field_list& fields) {
  cache_request result;
  result.method = what;
  result.has_authorization = fields.has(known_field::authorization);
  result.has_range = fields.has(known_field::range);
  result.is_conditional =
      fields.has(known_field::if_none_match) || fields.has(known_field::if_modified_since);
  result.is_for_origin =
      fields.has(known_field::if_match) || fields.has(known_field::if_unmodified_since);
  if (fields.has(known_field::cache_control))
    for (const auto& line : fields)
      if (line.id == known_field::cache_control)
        result.control.read(line.value);
  return result;
}

std::string_view to_string(store_verdict verdict) noexcept {
  switch (verdict) {
    case store_verdict::store: return "store";
    case store_verdict::method: return "method";
    case store_verdict::status: return "status";
    case store_verdict::no_store: return "no-store";
    case store_verdict::is_private: return "private";
    case store_verdict::set_cookie: return "set-cookie";
    case store_verdict::vary_any: return "vary";
    case store_verdict::authorization: return "authorization";
    case store_verdict::no_freshness: return "no-freshness";
  }
  return "";
}

bool is_for_one(const cache_entry& entry) {
  return (entry.control.no_store && !entry.control.must_understand) || entry.control.is_private ||
         has_field(entry, "set-cookie") ||
         std::any_of(entry.vary.begin(), entry.vary.end(),
                     [](const auto& each) { return each.first == "*"; });
}

bool allows_authorization(const cache_control& control) noexcept {
  return control.is_public || control.must_revalidate || control.s_maxage;
}

store_verdict may_store(const cache_request& request, const cache_entry& entry) {
  const auto& control = entry.control;
  if (request.method != method::get)
    return store_verdict::method;
  if (!is_whole(entry.status) ||
      (control.must_understand && !is_heuristically_cacheable(entry.status)))
    return store_verdict::status;
  if ((control.no_store && !control.must_understand) || request.control.no_store)
    return store_verdict::no_store;
  if (control.is_private)
    return store_verdict::is_private;
  if (has_field(entry, "set-cookie"))
    return store_verdict::set_cookie;
  if (std::any_of(entry.vary.begin(), entry.vary.end(),
                  [](const auto& each) { return each.first == "*"; }))
    return store_verdict::vary_any;
  if (request.has_authorization && !allows_authorization(control))
    return store_verdict::authorization;
  const auto may_guess = control.is_public || is_heuristically_cacheable(entry.status);
  if (!has_explicit_lifetime(entry) && !may_guess)
    return store_verdict::status;
  const auto is_useful = entry.lifetime > entry.initial_age || !entry.etag.empty() ||
                         entry.last_modified || control.stale_while_revalidate ||
                         control.stale_if_error;
  if (!is_useful)
    return store_verdict::no_freshness;
  return store_verdict::store;
}

bool forbids_stale(const cache_entry& entry) noexcept {
  const auto& control = entry.control;
  return control.must_revalidate || control.proxy_revalidate || control.no_cache ||
         control.s_maxage;
}

cache_use use_of(const cache_entry& entry, const cache_request& request, const cache_rules& rules,
                 steady::time_point now) {
  const auto& wish = request.control;
  if (entry.control.no_cache || wish.no_cache)
    return cache_use::revalidate;
  const auto age = entry.age(now);
  const auto left = entry.lifetime - age;
  if (wish.max_age && age > *wish.max_age)
    return cache_use::revalidate;
  if (wish.max_age == seconds{0})
    return cache_use::revalidate;
  if (wish.min_fresh && left < *wish.min_fresh)
    return cache_use::revalidate;
  if (entry.is_fresh(now))
    return cache_use::fresh;
  if (forbids_stale(entry))
    return cache_use::revalidate;
  if (wish.max_stale_any || (wish.max_stale && staleness(entry, now) <= *wish.max_stale))
    return cache_use::stale;
  const auto grace = entry.control.stale_while_revalidate.value_or(rules.stale_while_revalidate);
  return staleness(entry, now) < grace ? cache_use::refresh : cache_use::revalidate;
}

bool may_replace_error(const cache_entry& entry, const cache_request& request,
                       const cache_rules& rules, steady::time_point now) {
  if (forbids_stale(entry) || request.control.no_cache)
    return false;
  auto grace = entry.control.stale_if_error.value_or(rules.stale_if_error);
  if (request.control.stale_if_error)
    grace = std::max(grace, *request.control.stale_if_error);
  return staleness(entry, now) < grace;
}

std::optional<std::string> varying_value(std::string_view name, const field_list& request) {
  constexpr std::array<std::string_view, 4> lists{"accept", "accept-charset", "accept-encoding",
                                                  "accept-language"};
  std::string result;
  auto is_there = false;
  const auto is_list = is_one_of(lists, name);
  for (const auto& line : request) {
    if (!equals_ignoring_case(line.name, name))
      continue;
    is_there = true;
    auto rest = line.value;
    if (!is_list) {
      result.append(result.empty() ? "" : ", ").append(rest);
      continue;
    }
    while (const auto element = next_list_element(rest)) {
      result.append(result.empty() ? "" : ",");
      for (const auto c : *element)
        if (c != ' ' && c != '\t')
          result += to_lower(c);
    }
  }
  return is_there ? std::optional{std::move(result)} : std::nullopt;
}

bool matches(const cache_entry& entry, const field_list& request) {
  return std::all_of(entry.vary.begin(), entry.vary.end(), [&](const auto& each) {
    return each.first != "*" && varying_value(each.first, request) == each.second;
  });
}

cache_validators validators_of(const cache_entry& entry) {
  cache_validators result;
  result.if_none_match = entry.etag;
  for (const auto& line : entry.fields)
    if (line.id == known_field::last_modified && entry.last_modified)
      result.if_modified_since = line.value;
  return result;
}

std::optional<cache_entry> freshened(const cache_entry& entry, const cache_response& not_modified,
                                     const field_list& request, const cache_rules& rules) {
  constexpr std::array<std::string_view, 4> kept{"content-length", "content-encoding",
                                                 "content-range", "content-type"};
  std::vector<field> fields;
  for (const auto& line : not_modified.fields) {
    if (line.id == known_field::etag) {
      const auto now = parse_entity_tag(line.value);
      const auto before = parse_entity_tag(entry.etag);
      if (now && before && !weak_match(*now, *before))
        return std::nullopt;
    }
    if (!is_one_of(kept, line.name))
      fields.push_back(line);
  }
  const auto updates = fields.size();
  for (const auto& line : entry.fields) {
    const auto end = fields.begin() + static_cast<ptrdiff_t>(updates);
    const auto replaced = std::any_of(fields.begin(), end, [&](const field& each) {
      return equals_ignoring_case(each.name, line.name);
    });
    // A Date that was not repeated is not that of the 304.
    if (!replaced && line.id != known_field::date)
      fields.push_back(line.view());
  }
  auto response = not_modified;
  response.status = entry.status;
  response.content_type = entry.content_type;
  response.fields = fields;
  auto result = entry_of(response, request, rules);
  result.body = entry.body;
  return result;
}

} // namespace caf_app::http
