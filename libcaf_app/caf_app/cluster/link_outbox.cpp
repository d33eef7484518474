#include "caf_app/cluster/link_outbox.hpp"

#include <utility>

#include "caf_app/base/assert.hpp"

namespace caf_app {

push_verdict link_outbox::push(frame_kind kind, uint8_t flags, std::string body) {
  if (!fits(body.size()))
    return push_verdict::too_long;
  const auto size = frame_header_bytes + body.size();
  if (kind == frame_kind::message) {
    if (bytes_ + size > opts_.bytes_max)
      return push_verdict::congested;
  } else if (bytes_ + size > 2 * opts_.bytes_max) {
    return push_verdict::overflow;
  }
  const auto verdict = bytes_ == 0 ? push_verdict::first : push_verdict::queued;
  bytes_ += size;
  auto& lane = lanes_[static_cast<size_t>(lane_of(kind))];
  if (body.size() <= opts_.chunk_bytes)
    append_frame(open_batch(lane, size), {kind, flags, body});
  else
    lane.push_back({std::move(body), frame_view{kind, flags, {}}, 0});
  return verdict;
}

void link_outbox::push_rest(std::string rest) {
  CAF_APP_ASSERT(rest_.empty());
  bytes_ += rest.size();
  rest_ = std::move(rest);
}

/// What short frames are appended to. A full one is closed: more urgent frames get in between.
std::string& link_outbox::open_batch(lane& in, size_t more) {
  if (in.empty() || in.back().chunked || in.back().bytes.size() + more > opts_.chunk_bytes)
    in.push_back({std::exchange(spare_, {}), std::nullopt, 0});
  return in.back().bytes;
}

size_t link_outbox::take(std::string& out, size_t bytes_max) {
  const auto before = out.size();
  if (!rest_.empty() && before < bytes_max) {
    bytes_ -= rest_.size();
    out.append(std::exchange(rest_, {}));
  }
  while (out.size() < bytes_max) {
    auto* lane = lanes_;
    while (lane != std::end(lanes_) && lane->empty())
      ++lane;
    if (lane == std::end(lanes_))
      break;
    take_from(*lane, out);
  }
  return out.size() - before;
}

void link_outbox::take_from(lane& from, std::string& out) {
  auto& front = from.front();
  if (front.chunked) {
    front.chunked->body = front.bytes;
    front.sent = append_chunk(out, *front.chunked, front.sent, opts_.chunk_bytes);
    if (front.sent < front.bytes.size())
      return;
    bytes_ -= frame_header_bytes + front.bytes.size();
  } else {
    bytes_ -= front.bytes.size();
    if (out.empty())
      out.swap(front.bytes);
    else
      out.append(front.bytes);
    front.bytes.clear();
    spare_ = std::move(front.bytes);
  }
  from.pop_front();
}

} // namespace caf_app
