// Request targets: which form they have, their parts, and the one normal form of a path that
// router, handlers and upstreams see. RFC 9112 §3.2, RFC 3986 §5.2.4, §6.2.2. The query stays raw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "actors/http/method.hpp"
#include "actors/http/rejection.hpp"

namespace caf_app::http {

/// Of an absolute target, or of a connection.
enum class scheme : uint8_t {
  none, ///< the target names none
  http,
  https,
};

/// RFC 9112 §3.2
enum class target_form : uint8_t {
  origin,    ///< "/path?query"
  absolute,  ///< "http://host/path?query"
  asterisk,  ///< "*", OPTIONS only
  authority, ///< "host:port", CONNECT only
};

/// A target taken apart; all views lie within it.
struct target_parts {
  target_form form = target_form::origin;
  http::scheme scheme = scheme::none;
  std::string_view authority; ///< of absolute and authority form; its grammar is host.hpp's
  std::string_view path;      ///< raw, begins with '/'; "*" or empty for the last two forms
  std::string_view query;     ///< raw, without '?'
  bool has_query = false;     ///< tells "/a?" from "/a"
};

/// Takes a target apart and checks every byte: visible ASCII, whole percent escapes, no fragment,
/// no userinfo, a form that fits the method.
/// @returns nothing if it is not valid (fault::target)
std::optional<target_parts> parse_target(method what, std::string_view target) noexcept;

enum class slashes : uint8_t {
  keep,
  merge, ///< "//" becomes "/"
};

enum class encoded_slash : uint8_t {
  reject, ///< `%2F` is fault::path
  keep,   ///< `%2F` stays as it is and separates nothing
};

/// What a route wants of its paths.
struct path_rules {
  http::slashes slashes = slashes::keep;
  http::encoded_slash encoded_slash = encoded_slash::reject;

  bool operator==(const path_rules&) const noexcept = default;
};

/// A normal path, or why there is none.
struct normal_path {
  fault error = fault::none; ///< fault::path, or fault::target for a bad escape
  std::string_view path;     ///< a view of the input if that was normal, else of the scratch buffer
};

/// Decodes unreserved escapes, upper-cases the others, removes dot segments, then merges slashes if
/// `rules` say so. Refuses paths that climb above the root, `%00`, backslash and `%5C`.
/// Idempotent: the normal form of a normal path is itself.
/// @param raw begins with '/'; may be a view of `scratch`
/// @param scratch overwritten only if `raw` is not normal; must outlive the result
normal_path normalise_path(std::string_view raw, std::string& scratch, path_rules rules);

/// @returns the value of a hexadecimal digit, or -1
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Decodes every escape of a valid path, for names in a file system. @returns bytes, maybe not
/// UTF-8
std::string decode_path(std::string_view path);

} // namespace caf_app::http
