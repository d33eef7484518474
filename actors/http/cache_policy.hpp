// What a shared cache may store, for how long, and when it may use it: RFC 9111 §3, §4, with RFC
// 5861 for stale responses. Where the RFC leaves a choice the origin is asked. Pure: time is an
// argument, `now` for ages, `wall` (seconds since 1970) for dates.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/cache_entry.hpp"
#include "actors/http/field_list.hpp"
#include "actors/http/method.hpp"

namespace caf_app::http {

/// Of [http.cache].
struct cache_rules {
  double heuristic = 0.1; ///< share of the time since Last-Modified
  std::chrono::seconds heuristic_max = std::chrono::hours{24}; ///< bound of that (RFC 9111 §4.2.2)
  std::chrono::seconds stale_while_revalidate{0}; ///< for responses without such a directive
  std::chrono::seconds stale_if_error{0};         ///< the same

  bool operator==(const cache_rules&) const = default;
};

/// What of a request matters to the cache.
struct cache_request {
  http::method method = method::get;
  cache_control control;
  bool has_authorization = false;
  bool has_range = false;
  bool is_conditional = false;
  bool is_for_origin = false; ///< If-Match, If-Unmodified-Since: no cache's to judge (§4.3.2)
};

/// Cache-Control is read, Pragma is not (RFC 9111 §5.4).
cache_request read_cache_request(method what, const field_list& fields);

/// A response of the origin as it came, with the times around it.
struct cache_response {
  uint16_t status = 200;
  std::string_view content_type;
  std::span<const field> fields;
  steady::time_point asked_at;
  steady::time_point came_at;
  int64_t wall = 0; ///< when it came, in seconds since 1970
};

/// Why a response is not stored.
enum class store_verdict : uint8_t {
  store,
  method,     ///< not GET
  status,     ///< no whole answer, or none that may be kept without being told so
  no_store,   ///< said by the response or the request
  is_private, ///< Cache-Control: private
  set_cookie,
  vary_any,      ///< Vary: *
  authorization, ///< of the request, and nothing in the response allows it (§3.5)
  no_freshness,  ///< neither a lifetime nor something to validate with
};

std::string_view to_string(store_verdict verdict) noexcept;

/// RFC 9111 §3, §3.5. @param entry made of the response
store_verdict may_store(const cache_request& request, const cache_entry& entry);

/// Whether an answer to a request with Authorization may go to others (RFC 9111 §3.5).
bool allows_authorization(const cache_control& control) noexcept;

/// The entry for a response, as if it were stored; `body` is to be set. @param fields of the
/// request, for Vary
cache_entry entry_of(const cache_response& response, const field_list& request,
                     const cache_rules& rules);

/// Whether the response may go to others than the one who asked at all: Set-Cookie, private,
/// no-store and Vary: * say no.
bool is_for_one(const cache_entry& entry);

/// What a stored response is good for.
enum class cache_use : uint8_t {
  fresh,
  stale,      ///< the client takes it as it is
  refresh,    ///< stale, but it may be used while the origin is asked (RFC 5861 §3)
  revalidate, ///< only if the origin says so
};

/// What Cache-Control of both sides makes of it (RFC 9111 §4.2, §5.2.1).
cache_use use_of(const cache_entry& entry, const cache_request& request, const cache_rules& rules,
                 steady::time_point now);

/// Whether a stale response may stand in for an error of the origin (RFC 5861 §4).
bool may_replace_error(const cache_entry& entry, const cache_request& request,
                       const cache_rules& rules, steady::time_point now);

/// Whether nothing but the origin's word lets it be used when stale (RFC 9111 §4.2.4).
bool forbids_stale(const cache_entry& entry) noexcept;

/// Whether `entry` answers a request with these fields (RFC 9111 §4.1).
bool matches(const cache_entry& entry, const field_list& request);

/// The value of a field as Vary compares it: lines joined, and lists that say the same are equal.
/// @returns nothing without such a field, which is not the same as an empty one (RFC 9111 §4.1)
std::optional<std::string> varying_value(std::string_view name, const field_list& request);

/// The fields that turn a request into one that validates `entry`; views of it and of `date`.
struct cache_validators {
  std::string_view if_none_match;
  std::string_view if_modified_since;
};
cache_validators validators_of(const cache_entry& entry);

/// `entry` after a 304 (RFC 9111 §4.3.4, §3.2). @returns nothing if that 304 is about another
/// representation
std::optional<cache_entry> freshened(const cache_entry& entry, const cache_response& not_modified,
                                     const field_list& request, const cache_rules& rules);

} // namespace caf_app::http
