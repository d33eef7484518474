// The head of an HTTP/1 response, as an upstream sends it: strict, because what we pass on has to
// be read by others in the same way. What follows it is read with h1_response_body. RFC 9112 §4-§6.
//
//   lines -> (empty line) head          any -> error (nothing more may be read)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "actors/http/field_list.hpp"
#include "actors/http/h1_chunked.hpp"
#include "actors/http/method.hpp"
#include "actors/http/upstream_limits.hpp"

namespace caf_app::http {

/// How the end of a response's content is found. RFC 9112 §6.3
enum class response_framing : uint8_t { none, length, chunked, until_close };

/// A valid response head.
struct h1_response {
  uint16_t status = 0;       ///< 100 to 599
  uint8_t minor_version = 1; ///< 0 or 1; minors above 1 are read as 1
  bool keep_alive = true;    ///< another request may follow
  response_framing framing = response_framing::none;
  uint64_t content_length = 0; ///< with length; with none (HEAD, 304): as announced
  bool has_length = false;     ///< a Content-Length was there
  field_list fields;           ///< views of the parser's memory
};

enum class response_event : uint8_t {
  need_more, ///< all bytes are consumed
  head,      ///< response() is valid; 1xx too
  error,     ///< what() tells
};

/// Limits of a head: bytes from the version to the empty line, both included, and field lines.
struct h1_response_limits {
  size_t bytes = limits::http::response_head_bytes;
  size_t fields = limits::http::response_fields;
};

/// Reads head after head of one connection to an upstream.
class h1_response_parser {
public:
  struct result {
    size_t consumed;
    response_event event;
  };

  explicit h1_response_parser(h1_response_limits limits = {}) : limits_(limits) {}

  h1_response_parser(const h1_response_parser&) = delete;
  h1_response_parser& operator=(const h1_response_parser&) = delete;

  /// Begins with the response to a request of this method.
  void reset(method request);

  /// Takes bytes that follow those of the last call; how they are sliced does not matter. After
  /// `head` and before the next call comes reset() or, after a 1xx, next().
  result feed(std::span<const char> bytes);

  /// After an interim response: the same request's next head.
  void next() { reset(request_); }

  const h1_response& response() const noexcept { return response_; }

  /// What was wrong, for a log; empty without an error.
  std::string_view what() const noexcept { return what_; }

  /// Whether no byte of a head has come.
  bool is_idle() const noexcept { return buffer_.empty(); }

private:
  bool begins_well(std::string_view bytes);
  bool parse();
  bool parse_status_line(std::string_view line);
  bool parse_field(std::string_view line);
  bool find_framing();
  bool fail(std::string_view what) {
    what_ = what;
    return false;
  }

  h1_response_limits limits_;
  method request_ = method::get;
  std::string buffer_;
  size_t line_ = 0; // where the line that is being received begins in it
  h1_response response_;
  std::string_view what_;
};

/// The content that follows a head.
class h1_response_body {
public:
  h1_response_body() = default;
  explicit h1_response_body(const h1_response& head);

  /// One step; call it again after `data`. Content that ends with the connection is never `done`.
  h1_body_step feed(std::span<const char> bytes);

  bool is_done() const noexcept { return done_; }

  /// Whether the end of the connection is the end of the content.
  bool ends_with_connection() const noexcept { return framing_ == response_framing::until_close; }

  /// Those that may be passed on, after `done`.
  const std::vector<owned_field>& trailers() const noexcept { return chunked_.trailers(); }

private:
  response_framing framing_ = response_framing::none;
  bool done_ = true;
  uint64_t remaining_ = 0;
  h1_chunked chunked_;
};

} // namespace caf_app::http
