// A stored response as the cache keeps it: immutable, shared by the loops that answer with it and
// by the store. What it may be used for is cache_policy's.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/http/cache_control.hpp"
#include "actors/http/field.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::http {

/// A field line that owns its bytes.
struct cached_field {
  std::string name;
  std::string value;
  known_field id = known_field::other;

  field view() const noexcept { return {name, value, id}; }
};

struct cache_entry {
  uint16_t status = 200;
  std::string content_type;         ///< empty: none
  std::vector<cached_field> fields; ///< without content type, length and those of one connection
  std::shared_ptr<const std::string> body;

  cache_control control; ///< of the response
  std::vector<std::pair<std::string, std::optional<std::string>>>
      vary; ///< names in lower case with the values that the request had; none without the field
  std::string etag;                     ///< as in the field; empty: none
  std::optional<int64_t> last_modified; ///< seconds since 1970
  int64_t date = 0;                     ///< the same: what Date said, or when it came
  std::chrono::seconds lifetime{0};     ///< RFC 9111 §4.2.1; below 0: it came too old
  std::chrono::seconds initial_age{0};  ///< RFC 9111 §4.2.3
  steady::time_point stored_at;
  std::vector<std::string> tags; ///< of Cache-Tag and Surrogate-Key

  /// current_age of RFC 9111 §4.2.3.
  std::chrono::seconds age(steady::time_point now) const noexcept {
    return initial_age + std::chrono::duration_cast<std::chrono::seconds>(now - stored_at);
  }

  bool is_fresh(steady::time_point now) const noexcept { return age(now) < lifetime; }

  /// What it costs in bytes: content, fields and what is around them.
  uint64_t bytes() const noexcept;
};

using cache_entry_ptr = std::shared_ptr<const cache_entry>;

} // namespace caf_app::http
