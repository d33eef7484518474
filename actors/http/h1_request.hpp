// The head of an HTTP/1 request: a parser that works in place on the bytes as they were received,
// and the views it leaves behind. What comes after the head is h1_body's, where it leads is the
// router's. RFC 9112 §2-§6, §9.3; where a choice is left, the strictest one that mainstream clients
// survive.
//
// The parser goes from left to right and decides on each byte once, so its answers cannot depend on
// slices:
//
//   start -> method -> target -> version -> line_start -> name -> blanks -> value -> line_start ...
//                                               '-> (empty line) head
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "actors/http/field_list.hpp"
#include "actors/http/h1_framing.hpp"
#include "actors/http/method.hpp"
#include "actors/http/rejection.hpp"
#include "actors/http/uri.hpp"

namespace caf_app::http {

/// A valid request head. Its views lie in the bytes given to the parser or in the parser itself,
/// see h1_request_parser::feed.
struct h1_request {
  http::method method = method::unknown; ///< unknown: the caller answers fault::method_unknown
  uint8_t minor_version = 1;             ///< 0 or 1; minors above 1 are served as 1
  bool keep_alive = true;                ///< the client wants to go on after this request
  h1_framing framing = h1_framing::none;
  h1_expect expect = h1_expect::nothing;
  uint64_t content_length = 0;  ///< with h1_framing::length
  std::string_view method_text; ///< as sent
  std::string_view target;      ///< as sent
  target_parts parts;           ///< the target taken apart; its path is raw
  std::string_view
      host; ///< in lower case, of the target if it has one, else of Host; may be empty in 1.0
  std::optional<uint16_t> port; ///< belonging to `host`
  field_list fields;

  /// Does content follow (or may it)?
  bool has_body() const noexcept {
    return framing == h1_framing::chunked || (framing == h1_framing::length && content_length != 0);
  }
};

/// Limits of a head. All in bytes but max_headers.
struct h1_limits {
  size_t max_header_bytes = 32 * 1024; ///< from the method to the empty line, both included
  size_t max_headers = 100;
  size_t max_target = 8 * 1024;

  bool operator==(const h1_limits&) const = default;
};

enum class h1_event : uint8_t {
  need_more, ///< all bytes are consumed, the head is not whole
  head,      ///< request() is valid; what was not consumed belongs to its content
  error,     ///< error() tells why; close, and parse nothing more
};

class h1_request_parser {
public:
  struct result {
    size_t consumed;
    h1_event event;
  };

  explicit h1_request_parser(h1_limits limits = {}) : limits_(limits) {}

  h1_request_parser(const h1_request_parser&) = delete; // views may be of its own bytes
  h1_request_parser& operator=(const h1_request_parser&) = delete;

  /// Takes bytes that follow those of the last call. Nothing is allocated for a head that comes in
  /// one slice. After `head` or `error` the next call must be reset(). The views of request() then
  /// lie within `bytes` if this one slice held the whole head, else in a buffer of the parser; see
  /// keep().
  result feed(std::span<const char> bytes);

  /// The head; valid after h1_event::head until reset(), or until the bytes given to feed() change.
  const h1_request& request() const noexcept { return request_; }

  /// Why the head was refused.
  fault error() const noexcept { return error_; }

  /// Copies the head into the parser, so that request() outlives the bytes given to feed(). A
  /// caller that cannot answer at once calls it before its receive buffer is used again.
  void keep();

  /// Has a byte of a request come that is not answered with `head` or `error` yet? (idle or slow?)
  bool is_idle() const noexcept { return phase_ == phase::start && buffer_.empty(); }

  const h1_limits& limits() const noexcept { return limits_; }

  /// Forgets the request, keeps the memory for the next one.
  void reset() noexcept;

  /// Like reset(), but gives the memory back: for connections that become idle.
  void release() noexcept;

private:
  enum class phase : uint8_t {
    start,
    method,
    target,
    version,
    line_start,
    name,
    blanks,
    value,
    done,
  };

  /// An authority taken apart. It outlives reset(): a server has few hosts, and most heads name the
  /// one that the last head named.
  struct named_host {
    std::string text; // as it stood there
    std::string host; // in lower case
    std::optional<uint16_t> port;

    /// @returns false if `value` is no valid authority; nothing has changed then
    bool read(std::string_view value);
  };

  // These go on where the last call stopped and return true once their part is whole. Else they set
  // error_, or ran out of bytes.
  bool start(const char* end);
  bool read_head(const char* end);
  bool read_request_line(const char* end);
  bool read_target(const char* end);
  bool read_version(const char* end);
  bool read_fields(const char* end);
  bool finish_head();
  fault finish_host();
  void add_field(const char* end);

  bool fail(fault why) noexcept {
    error_ = why;
    return false;
  }

  void append_to_buffer(std::span<const char> bytes);
  void rebase(const char* from, size_t size, const char* to) noexcept;

  h1_limits limits_;
  phase phase_ = phase::start;
  fault error_ = fault::none;
  bool skipped_empty_line_ = false;
  const char* base_ = nullptr; // first byte of the head
  size_t head_begin_ = 0;      // of base_ in the bytes at hand
  size_t position_ = 0;        // next byte to look at; like the marks, counted from base_
  size_t mark_ = 0;            // first byte of the target or value being read
  size_t name_begin_ = 0;      // of the field being read
  size_t name_end_ = 0;
  h1_request request_;
  std::string buffer_; // what came so far, once slices have to be joined or kept
  named_host named_;   // request_.host lies there
};

} // namespace caf_app::http
