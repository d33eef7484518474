// Cache-Control of requests and responses (RFC 9111 §5.2, RFC 5861), read as a cache has to that
// prefers to ask once too often: what cannot be read, or is said twice in different ways, is stale.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace caf_app::http {

/// What was said. A number that is not there was not said.
struct cache_control {
  using seconds = std::chrono::seconds;

  bool present = false; ///< there was a line at all
  bool no_store = false;
  bool no_cache = false;   ///< with or without names of fields
  bool is_private = false; ///< with or without names of fields
  bool is_public = false;
  bool must_revalidate = false;
  bool proxy_revalidate = false;
  bool must_understand = false;
  bool only_if_cached = false;
  bool max_stale_any = false;     ///< max-stale without a number
  std::optional<seconds> max_age; ///< 0 if it cannot be read
  std::optional<seconds> s_maxage;
  std::optional<seconds> min_fresh;
  std::optional<seconds> max_stale;
  std::optional<seconds> stale_while_revalidate;
  std::optional<seconds> stale_if_error;

  /// Takes in one line of the field.
  void read(std::string_view line);

private:
  void read_element(std::string_view element);
  void read_directive(std::string_view name, std::optional<std::string_view> argument);
};

/// delta-seconds (RFC 9111 §1.2.2): what is too large is 2^31. @returns nothing if it is no number
std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text) noexcept;

} // namespace caf_app::http
