// The rate limits of routes: who counts as one client, and the buckets of one loop, which gives out
// its share of a rate.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "actors/http/field_list.hpp"
#include "actors/http/http_config.hpp"
#include "actors/http/rate_limit.hpp"

namespace caf_app::http {

/// The limiters of one loop. They outlive a configuration as long as their route keeps its rule.
class rate_books {
public:
  /// @param shares loops and instances among which the rate of the host is divided
  explicit rate_books(size_t shares = 1) : shares_(shares) {}

  /// There are more of them now, or fewer. At least 1.
  void set_shares(size_t shares);

  /// Takes a token for a request. @param route name of the site and path of the route
  /// @param key who asks, see rate_key()
  rate_limit::decision admit(const std::string& route, const rate_rule& rule, std::string_view key,
                             steady::time_point now);

private:
  struct book {
    rate_rule rule;
    rate_limit limit;
  };
  size_t shares_;
  std::map<std::string, book, std::less<>> books_;
};

/// What the requests of a client are counted under: the address (rate_key_of_address), nothing for
/// a rule per route, the value of the field, as a hash if it is longer than 64 bytes. All requests
/// without the field share a key.
/// @param client an address without port
std::string rate_key(const rate_rule& rule, std::string_view client, const field_list& fields);

} // namespace caf_app::http
