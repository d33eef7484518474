// Bytes of unknown origin made safe for one line of a log or for a JSON string. What is no UTF-8
// becomes U+FFFD, so that every reader accepts the result.
#pragma once

#include <string>
#include <string_view>

namespace caf_app {

/// Appends `text` as the inside of a JSON string (RFC 8259 §7), without the quotes around it.
void append_json_escaped(std::string& out, std::string_view text);

/// Appends `text` for people, with backslash and quotes as they are: controls as `\n`, `\x1b`;
/// everything else stays.
void append_line_escaped(std::string& out, std::string_view text);

/// Length of the well-formed UTF-8 sequence at the front of `text` (Unicode table 3-7), 0 if there
/// is none.
size_t utf8_length(std::string_view text);

} // namespace caf_app
