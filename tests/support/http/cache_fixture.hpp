// Responses and requests for suites of the cache, written as text.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "actors/http/cache_policy.hpp"
#include "actors/http/http_date.hpp"

namespace caf_app::http {

inline constexpr int64_t wall_start = 1'800'000'000; ///< some Friday
inline const steady::time_point steady_start{std::chrono::hours{1}};

/// IMF-fixdate of so many seconds after the start.
inline std::string date_at(int64_t seconds) {
  const auto date = format_http_date(wall_start + seconds);
  return std::string{to_string_view(date)};
}

/// Lines "Name: value" with line ends between them, as fields. Owns the text. `<N>` in a value is
/// the date N seconds after the start.
class field_text {
public:
  explicit field_text(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      add(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const field_list& list() const { return list_; }

private:
  void add(std::string_view line) {
    const auto colon = line.find(':');
    auto value = std::string{trim_blanks(line.substr(colon + 1))};
    if (value.starts_with('<'))
      value = date_at(std::stoll(value.substr(1)));
    owned_.emplace_back(line.substr(0, colon));
    const std::string_view name = owned_.back();
    owned_.push_back(std::move(value));
    list_.push_back({name, owned_.back(), find_known_field(name)});
  }

  std::deque<std::string> owned_;
  field_list list_;
};

/// A response that came at the start.
inline cache_entry entry_from(std::string_view fields, std::string_view request = {},
                              uint16_t status = 200, const cache_rules& rules = {}) {
  const field_text lines{fields};
  const field_text asked{request};
  auto result =
      entry_of({status, "text/plain", lines.list().lines(), steady_start, steady_start, wall_start},
               asked.list(), rules);
  result.body = std::make_shared<const std::string>("content");
  return result;
}

} // namespace caf_app::http
