// The field Cache-Status (RFC 9211) of this cache, and what the same events are called in metrics.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::http {

/// Why a request went to the origin. RFC 9211 §2.2
enum class forward_reason : uint8_t {
  none,     ///< it did not
  bypass,   ///< the cache is not to be used
  method,   ///< neither GET nor HEAD
  uri_miss, ///< nothing is stored for this URI
  vary_miss,
  request, ///< the client wants the origin's word
  stale,
  partial, ///< a range of what is not stored
};

struct cache_status {
  forward_reason forwarded = forward_reason::none;
  std::optional<uint16_t> origin_status;   ///< if it differs from what the client gets
  std::optional<std::chrono::seconds> ttl; ///< that it stays fresh; below 0: stale (§2.4)
  bool stored = false;                     ///< the origin's answer was stored
  bool collapsed = false;                  ///< with another request's
  std::string_view detail = {};            ///< a token
};

/// `caf_app; hit; ttl=12`
std::string to_string(const cache_status& status);

} // namespace caf_app::http
