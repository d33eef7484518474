#include "actors/http/rate_books.hpp"

#include <functional>

namespace caf_app::http {

namespace {

constexpr size_t key_bytes_max = 64; // longer ones are kept as their hash

}

void rate_books::set_shares(size_t shares) {
  shares_ = shares;
  for (auto& [route, book] : books_)
    book.limit.set_instances(shares);
}

rate_limit::decision rate_books::admit(const std::string& route, const rate_rule& rule,
                                       std::string_view key, steady::time_point now) {
  auto place = books_.find(route);
  if (place == books_.end() || place->second.rule != rule) {
    rate_limit_options options;
    options.per_second = rule.per_second;
    options.burst = rule.burst;
    rate_limit limit{options};
    limit.set_instances(shares_);
    books_.erase(route);
    place = books_.emplace(route, book{rule, std::move(limit)}).first;
  }
  return place->second.limit.admit(key, now);
}

std::string rate_key(const rate_rule& rule, std::string_view client, const field_list& fields) {
  switch (rule.key) {
    case rate_key_kind::ip: return rate_key_of_address(client);
    case rate_key_kind::route: return {};
    case rate_key_kind::header: {
      const auto* line = fields.find(rule.header);
      if (!line)
        return {};
      if (line->value.size() <= key_bytes_max)
        return std::string{line->value};
      return "#" + std::to_string(std::hash<std::string_view>{}(line->value));
    }
  }
  return {};
}

} // namespace caf_app::http
