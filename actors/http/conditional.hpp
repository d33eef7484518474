// Preconditions of a request (RFC 9110 §13) against the validators of what it would get, in the
// order of §13.2.2. Dates arrive parsed; one that could not be read counts as absent.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "actors/http/method.hpp"

namespace caf_app::http {

/// What the selected representation says about itself.
struct validators {
  std::string_view etag; ///< as in ETag, empty: none
  std::optional<std::chrono::sys_seconds> last_modified;
};

/// The fields of a request as they matter here; repeated list fields are joined with commas.
struct preconditions {
  std::optional<std::string_view> if_match;
  std::optional<std::string_view> if_none_match;
  std::optional<std::chrono::sys_seconds> if_modified_since;
  std::optional<std::chrono::sys_seconds> if_unmodified_since;
};

enum class precondition_result : uint8_t {
  proceed,
  not_modified, ///< 304
  failed,       ///< 412
};

/// For a representation that exists.
/// @param now the clock that Date shows: an If-Modified-Since after it is ignored
precondition_result evaluate(const preconditions& asked, const validators& current, method what,
                             std::chrono::sys_seconds now);

/// If-Range (§13.1.5): whether a Range may be answered with a part.
/// @param value of If-Range
/// @param date `value` read as a date, if it is one
bool if_range_holds(std::string_view value, std::optional<std::chrono::sys_seconds> date,
                    const validators& current, std::chrono::sys_seconds now);

} // namespace caf_app::http
