// Who may send another request now: a token bucket per key, kept as one time per key (generic cell
// rate algorithm, ITU-T I.371). The table is bounded; who was longest unseen is forgotten first,
// which gives that key a full bucket again. Pure: time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "caf_app/base/time.hpp"

namespace caf_app::http {

/// Of one route, for the whole host.
struct rate_limit_options {
  double per_second = 1;       ///< above 0, of the whole host
  double burst = 1;            ///< at least 1: requests at once from a full bucket
  size_t keys_max = 64 * 1024; ///< remembered at once
};

/// On one loop.
class rate_limit {
public:
  struct decision {
    bool allowed;
    std::chrono::seconds retry_after; ///< for Retry-After, at least 1; 0 if allowed
  };

  explicit rate_limit(const rate_limit_options& options) : options_(options) {}

  /// Takes a token of `key` if there is one.
  decision admit(std::string_view key, steady::time_point now);

  /// This instance serves one of `instances` shares of the host's rate. At least 1. The burst is
  /// shared too, but never below one request.
  void set_instances(size_t instances);

  size_t keys() const noexcept { return table_.size(); }

private:
  struct entry {
    std::string key;
    steady::time_point full_at; ///< when the bucket will be full again
  };

  using place = std::list<entry>::iterator;

  place find_or_add(std::string_view key, steady::time_point now);

  rate_limit_options options_;
  double instances_ = 1;
  std::list<entry> entries_;                          // last used first
  std::unordered_map<std::string_view, place> table_; // views of the entries
};

/// The key of a client: an IPv4 address as it is, an IPv6 address by its /64 network, since one
/// client has all of that. IPv4 in IPv6 is IPv4.
/// @param address in text without port; what is no address is a key of its own
std::string rate_key_of_address(std::string_view address);

} // namespace caf_app::http
