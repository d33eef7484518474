// JSON text and back, strictly (RFC 8259): no duplicate member names at any level, no lone
// surrogates, valid UTF-8 only, a depth limit, nothing after the value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// Values may nest that deep; envelopes add levels of their own.
inline constexpr size_t json_depth_max = 128;

/// Room for the envelope around values: body, steps, state, outcomes.
inline constexpr size_t envelope_depth_max = 8;

/// Why a text is no JSON value.
struct json_fault {
  std::string text;
  size_t offset = 0; ///< bytes of the text that were fine
};

using json_result = std::variant<json, json_fault>;

/// Reads one value, blanks around it allowed.
/// @param depth_max deeper nesting is a fault, at most 1024
json_result read_json(std::string_view text, size_t depth_max = json_depth_max);

/// Appends the compact form of `value`.
void write_json(std::string& to, const json& value);

/// The same in a text of its own.
std::string to_text(const json& value);

/// Compact, members sorted by name (bytewise) at every level: the form that is signed and hashed.
std::string canonical_text(const json& value);

/// Appends `text`, which is UTF-8, as a JSON string; escapes only what RFC 8259 section 7 demands.
void write_json_string(std::string& to, std::string_view text);

/// Whether `text` is UTF-8 as JSON needs it: no overlong forms, no surrogates (RFC 3629).
bool is_utf8(std::string_view text);

} // namespace caf_app::eval
