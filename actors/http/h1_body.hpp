// The content of an HTTP/1 request, whichever way it is framed: zero copy, one step per call.
// RFC 9112 §6.3.
#pragma once

#include "actors/http/h1_chunked.hpp"
#include "actors/http/h1_request.hpp"

namespace caf_app::http {

/// Errors are those of h1_chunked.
class h1_body {
public:
  /// No content.
  h1_body() = default;

  /// The content that follows the head `request`. A length over the limit is an error of the first
  /// step already.
  h1_body(const h1_request& request, h1_body_limits limits);

  /// Takes bytes that follow those consumed by the last call. Call it once with nothing to learn
  /// that empty content is done, and again after each `data`.
  h1_body_step feed(std::span<const char> bytes);

  /// Was `done` reported, or is there nothing to come?
  bool is_done() const noexcept { return done_; }

  /// Content that is still to come, if that is known, else 2^63: at most that much must be read
  /// away before the next request.
  uint64_t remaining() const noexcept;

  /// Trailers of chunked content, after `done`.
  const std::vector<owned_field>& trailers() const noexcept { return chunked_.trailers(); }

private:
  h1_framing framing_ = h1_framing::none;
  bool done_ = true;
  bool received_any_ = false;
  uint64_t remaining_ = 0;
  h1_body_limits limits_;
  h1_chunked chunked_;
};

/// What the caller asks once a request is routed and before any 100: does its content fit, and can
/// its expectation be met? @returns fault::none, body_size, expect or expect_with_body
fault check_content(const h1_request& request, uint64_t max_body) noexcept;

} // namespace caf_app::http
