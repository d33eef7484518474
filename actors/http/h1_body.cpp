#include "actors/http/h1_body.hpp"

#include <algorithm>

namespace caf_app::http {

h1_body::h1_body(const h1_request& request, h1_body_limits limits)
    : framing_(request.framing), done_(!request.has_body()), limits_(limits), chunked_(limits) {
  if (framing_ == h1_framing::length)
    remaining_ = request.content_length;
}

h1_body_step h1_body::feed(std::span<const char> bytes) {
  h1_body_step step;
  if (done_) {
    step.event = h1_body_event::done;
    return step;
  }
  if (framing_ == h1_framing::chunked) {
    step = chunked_.feed(bytes);
    done_ = step.event == h1_body_event::done;
    return step;
  }
  if (!received_any_ && remaining_ > limits_.max_body) {
    step.event = h1_body_event::error;
    step.error = fault::body_size;
    return step;
  }
  if (remaining_ == 0) {
    done_ = true;
    step.event = h1_body_event::done;
    return step;
  }
  if (bytes.empty())
    return step;
  received_any_ = true;
  step.consumed = static_cast<size_t>(std::min<uint64_t>(bytes.size(), remaining_));
  step.data = bytes.first(step.consumed);
  step.event = h1_body_event::data;
  remaining_ -= step.consumed;
  return step;
}

uint64_t h1_body::remaining() const noexcept {
  if (done_)
    return 0;
  return framing_ == h1_framing::chunked ? uint64_t{1} << 63 : remaining_;
}

fault check_content(const h1_request& request, uint64_t max_body) noexcept {
  if (request.framing == h1_framing::length && request.content_length > max_body)
    return fault::body_size;
  if (request.expect == h1_expect::other)
    return request.has_body() ? fault::expect_with_body : fault::expect;
  return fault::none;
}

} // namespace caf_app::http
