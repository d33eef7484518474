// Makes entries of responses.
#include "actors/http/cache_entry.hpp"

#include <algorithm>
#include <array>

#include "actors/http/cache_policy.hpp"
#include "actors/http/http_date.hpp"

namespace caf_app::http {

namespace {

using std::chrono::seconds;

constexpr uint64_t entry_overhead = 512; // nodes, pointers, allocator

// Not those of one connection or one hop (RFC 9111 §3.1), nor those that each answer says anew.
bool is_kept(const field& line) {
  constexpr std::array<std::string_view, 4> dropped{
      "age", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization"};
  switch (line.id) {
    case known_field::connection:
    case known_field::content_length:
    case known_field::keep_alive:
    case known_field::proxy_connection:
    case known_field::te:
    case known_field::trailer:
    case known_field::transfer_encoding:
    case known_field::upgrade: return false;
    default:
      return std::none_of(dropped.begin(), dropped.end(), [&](std::string_view name) {
        return equals_ignoring_case(name, line.name);
      });
  }
}

void add_tags(std::string_view value, bool by_comma, std::vector<std::string>& tags) {
  const auto* separators = by_comma ? ", \t" : " \t";
  while (!value.empty()) {
    const auto end = std::min(value.find_first_of(separators), value.size());
    if (end > 0)
      tags.emplace_back(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

void add_vary(std::string_view value, const field_list& request, cache_entry& entry) {
  while (const auto name = next_list_element(value)) {
    auto key = to_lower(*name);
    const auto known = std::any_of(entry.vary.begin(), entry.vary.end(),
                                   [&](const auto& each) { return each.first == key; });
    if (!known) {
      auto wanted = varying_value(key, request);
      entry.vary.emplace_back(std::move(key), std::move(wanted));
    }
  }
}

/// What the fields say about time.
struct time_facts {
  std::optional<int64_t> date;
  std::optional<seconds> age;
  std::optional<int64_t> expires;
  bool has_expires = false;
  bool expires_twice = false;
};

void read_field(const field& line, const cache_response& response, const field_list& request,
                cache_entry& entry, time_facts& times) {
  switch (line.id) {
    case known_field::cache_control: entry.control.read(line.value); break;
    case known_field::date: times.date = parse_http_date(line.value, response.wall); break;
    case known_field::etag: entry.etag = line.value; break;
    case known_field::last_modified:
      entry.last_modified = parse_http_date(line.value, response.wall);
      break;
    case known_field::vary: add_vary(line.value, request, entry); break;
    default:
      if (equals_ignoring_case(line.name, "age") && !times.age) {
        times.age = parse_delta_seconds(trim_blanks(line.value.substr(0, line.value.find(','))));
      } else if (equals_ignoring_case(line.name, "expires")) {
        times.expires_twice = times.has_expires;
        times.has_expires = true;
        times.expires = parse_http_date(line.value, response.wall);
      } else if (equals_ignoring_case(line.name, "cache-tag")) {
        add_tags(line.value, true, entry.tags);
      } else if (equals_ignoring_case(line.name, "surrogate-key")) {
        add_tags(line.value, false, entry.tags);
      }
  }
}

// RFC 9111 §4.2.1, §4.2.2. An Expires before Date has ended that long ago, which is what max-stale
// and RFC 5861 count from; one that cannot be read has ended just now (§5.3).
seconds lifetime_of(const cache_entry& entry, const time_facts& times, const cache_rules& rules) {
  if (entry.control.s_maxage)
    return *entry.control.s_maxage;
  if (entry.control.max_age)
    return *entry.control.max_age;
  if (times.has_expires)
    return times.expires && !times.expires_twice ? seconds{*times.expires - entry.date}
                                                 : seconds{0};
  if (!entry.last_modified || *entry.last_modified >= entry.date)
    return seconds{0};
  const auto share = rules.heuristic * static_cast<double>(entry.date - *entry.last_modified);
  return std::min(rules.heuristic_max, seconds{static_cast<int64_t>(share)});
}

} // namespace

uint64_t cache_entry::bytes() const noexcept {
  auto result = entry_overhead + content_type.size() + etag.size() + (body ? body->size() : 0);
  for (const auto& line : fields)
    result += sizeof line + line.name.size() + line.value.size();
  for (const auto& [name, value] : vary)
    result += sizeof(std::string) * 2 + name.size() + (value ? value->size() : 0);
  for (const auto& tag : tags)
    result += 2 * (sizeof(std::string) + tag.size()); // the index has it too
  return result;
}

cache_entry entry_of(const cache_response& response, const field_list& request,
                     const cache_rules& rules) {
  cache_entry entry;
  time_facts times;
  entry.status = response.status;
  entry.content_type = response.content_type;
  entry.stored_at = response.came_at;
  for (const auto& line : response.fields) {
    read_field(line, response, request, entry, times);
    if (is_kept(line))
      entry.fields.push_back({std::string{line.name}, std::string{line.value}, line.id});
  }
  entry.date = times.date.value_or(response.wall);
  if (!times.date) { // RFC 9110 §6.6.1: who receives it says when
    std::erase_if(entry.fields, [](const cached_field& x) { return x.id == known_field::date; });
    const auto date = format_http_date(response.wall);
    entry.fields.push_back({"Date", std::string{to_string_view(date)}, known_field::date});
  }
  entry.lifetime = lifetime_of(entry, times, rules);
  // RFC 9111 §4.2.3
  const auto apparent = std::max(seconds{0}, seconds{response.wall - entry.date});
  const auto delay = std::chrono::duration_cast<seconds>(response.came_at - response.asked_at);
  entry.initial_age = std::max(apparent, times.age.value_or(seconds{0}) + delay);
  return entry;
}

} // namespace caf_app::http
