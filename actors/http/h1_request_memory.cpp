// The half of h1_request_parser that decides where the bytes of a head live.
#include "actors/http/h1_request.hpp"

#include <algorithm>
#include <functional>

namespace caf_app::http {

void h1_request_parser::keep() {
  if (!buffer_.empty() || position_ == 0)
    return;
  buffer_.assign(base_, position_);
  rebase(base_, position_, buffer_.data());
  base_ = buffer_.data();
}

// One byte more than an empty line and a head of the limit is enough to refuse it.
void h1_request_parser::append_to_buffer(std::span<const char> bytes) {
  const auto bound = head_begin_ + limits_.max_header_bytes + 3;
  const auto room = bound - std::min(bound, buffer_.size());
  const auto size = std::min(room, bytes.size());
  if (buffer_.capacity() - buffer_.size() >= size) {
    buffer_.append(bytes.data(), size);
    return;
  }
  std::string larger;
  larger.reserve(std::max(2 * buffer_.size(), buffer_.size() + size));
  larger += buffer_;
  larger.append(bytes.data(), size);
  rebase(buffer_.data(), buffer_.size(), larger.data());
  buffer_.swap(larger);
}

// A view may also be of a literal, for a path that the target leaves out, or of named_.
void h1_request_parser::rebase(const char* from, size_t size, const char* to) noexcept {
  const std::less_equal<const char*> in_order;
  const auto move = [&](std::string_view& view) {
    if (view.data() != nullptr && in_order(from, view.data()) && in_order(view.data(), from + size))
      view = {to + (view.data() - from), view.size()};
  };
  move(request_.method_text);
  move(request_.target);
  move(request_.parts.authority);
  move(request_.parts.path);
  move(request_.parts.query);
  move(request_.host);
  request_.fields.rebase(from, to);
}

void h1_request_parser::reset() noexcept {
  phase_ = phase::start;
  error_ = fault::none;
  skipped_empty_line_ = false;
  head_begin_ = position_ = mark_ = 0;
  buffer_.clear();
  request_.fields.clear();
  request_.method_text = request_.target = request_.host = {};
  request_.port.reset();
  request_.parts = {};
  // Everything else is set by every head.
}

void h1_request_parser::release() noexcept {
  reset();
  request_.fields.release();
  buffer_ = {};
  named_ = {};
}

} // namespace caf_app::http
