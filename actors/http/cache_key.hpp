// What a stored response is found by, and which keys a request with effects makes invalid (RFC 9111
// §4.4). A key is "<path>[?<query>]\n<host>[:<port>]\n<scheme>[\n<way>]": the path is first so that
// all keys below a prefix are neighbours in an ordered index, whatever their host. The way is what
// forwarding fields say of scheme and host: what was answered for one is no answer for another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/exchange.hpp"

namespace caf_app::http {

/// Appends the key of a request; HEAD and GET have the same.
void append_cache_key(std::string& out, const request_view& request);

/// A key taken apart; views of it.
struct cache_key_parts {
  std::string_view target; ///< path and query
  std::string_view authority;
  std::string_view scheme;
  std::string_view way; ///< with the newline before it, or empty
};

/// @param key made by append_cache_key()
cache_key_parts parts_of_key(std::string_view key);

/// The keys of `references` (of Location and Content-Location), as seen from the resource of `key`,
/// that are of the same origin.
std::vector<std::string> same_origin_keys(std::string_view key,
                                          const std::vector<std::string_view>& references);

/// What an operator wants to be forgotten.
struct cache_purge {
  enum class kind : uint8_t { url, prefix, tag };

  kind what = kind::url;
  std::string target;    ///< path and query, or how they begin; or the tag
  std::string authority; ///< empty: any host

  /// @returns whether a key is meant; always false for tags
  bool means(std::string_view key) const;
};

/// Reads a URL or a prefix of one: "/path", "//host/path" or "http://host/path". The scheme does
/// not matter. @returns nothing if it is none of these
std::optional<cache_purge> parse_purge(cache_purge::kind what, std::string_view text);

} // namespace caf_app::http
