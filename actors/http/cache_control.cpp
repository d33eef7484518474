#include "actors/http/cache_control.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "actors/http/field.hpp"

namespace caf_app::http {

namespace {

using std::chrono::seconds;

constexpr seconds delta_max{int64_t{1} << 31};

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

bool is_open_quote(std::string_view element) {
  bool quoted = false;
  for (size_t i = 0; i < element.size(); ++i)
    if (element[i] == '"')
      quoted = !quoted;
    else if (quoted && element[i] == '\\')
      ++i;
  return quoted;
}

size_t word_end(std::string_view list) { return std::min(list.find(','), list.size() - 1) + 1; }

// Two values, or one that is none: the smaller one counts, because it asks earlier.
void set(std::optional<seconds>& place, std::optional<std::string_view> argument) {
  const auto value =
      (argument ? parse_delta_seconds(unquoted(*argument)) : std::nullopt).value_or(seconds{0});
  place = place ? std::min(*place, value) : value;
}

} // namespace

std::optional<seconds> parse_delta_seconds(std::string_view text) noexcept {
  if (text.empty() ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  const auto value = parse_length(text);
  return value ? std::min(seconds{static_cast<int64_t>(*value)}, delta_max) : delta_max;
}

void cache_control::read(std::string_view line) {
  present = true;
  while (const auto element = next_list_element(line))
    if (is_open_quote(*element)) // nothing hides behind a quote that does not end
      for (auto rest = *element; !rest.empty(); rest.remove_prefix(word_end(rest)))
        read_element(trim_blanks(rest.substr(0, rest.find(','))));
    else
      read_element(*element);
}

void cache_control::read_element(std::string_view element) {
  const auto equals = element.find('=');
  const auto name = trim_blanks(element.substr(0, equals));
  if (equals == std::string_view::npos)
    read_directive(name, std::nullopt);
  else
    read_directive(name, trim_blanks(element.substr(equals + 1)));
}

void cache_control::read_directive(std::string_view name,
                                   std::optional<std::string_view> argument) {
  const std::array<std::pair<std::string_view, bool*>, 8> flags{
      {{"no-store", &no_store},
       {"no-cache", &no_cache},
       {"private", &is_private},
       {"public", &is_public},
       {"must-revalidate", &must_revalidate},
       {"proxy-revalidate", &proxy_revalidate},
       {"must-understand", &must_understand},
       {"only-if-cached", &only_if_cached}}};
  for (const auto& [word, flag] : flags)
    if (equals_ignoring_case(name, word)) {
      *flag = true;
      return;
    }
  const std::array<std::pair<std::string_view, std::optional<seconds>*>, 5> times{
      {{"max-age", &max_age},
       {"s-maxage", &s_maxage},
       {"min-fresh", &min_fresh},
       {"stale-while-revalidate", &stale_while_revalidate},
       {"stale-if-error", &stale_if_error}}};
  for (const auto& [word, time] : times)
    if (equals_ignoring_case(name, word))
      return set(*time, argument);
  if (!equals_ignoring_case(name, "max-stale"))
    return;
  if (argument)
    set(max_stale, argument);
  else
    max_stale_any = true;
}

} // namespace caf_app::http
