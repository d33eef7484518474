// One row of the tables of HTTP/1 input, and what the rows are written with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caf_app::http {

/// What a client sends on a fresh connection, and the answer to it in the words of h1_dialogue. The
/// runner adds a further request: it must be answered if `answer` says "keep", and not if it does
/// not.
struct h1_row {
  std::string name;
  std::string input;
  std::string answer;
};

using h1_rows = std::vector<h1_row>;

/// A head: the lines, each ended with CRLF, and the empty line.
template <class... Lines>
std::string head(const Lines&... lines) {
  std::string result;
  (result.append(lines).append("\r\n"), ...);
  return result += "\r\n";
}

/// The head of "GET / HTTP/1.1" to a known host, with further lines.
template <class... Lines>
std::string get(const Lines&... lines) {
  return head("GET / HTTP/1.1", "Host: a", lines...);
}

/// The head of "POST /post HTTP/1.1" to a known host, with further lines.
template <class... Lines>
std::string post(const Lines&... lines) {
  return head("POST /post HTTP/1.1", "Host: a", lines...);
}

/// `count` times `text`.
inline std::string repeat(std::string_view text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

/// Bytes of a literal, NUL included.
template <size_t Size>
std::string bytes(const char (&literal)[Size]) {
  return {literal, Size - 1};
}

} // namespace caf_app::http
