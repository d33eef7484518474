#include "caf_app/cluster/link_outbox.hpp"

#include <utility>

namespace caf_app {

push_verdict link_outbox::push(frame_kind kind, uint8_t flags, std::string body) {
  if (body.size() > opts_.frame_bytes_max)
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
  lanes_[static_cast<size_t>(lane_of(kind))].push_back({kind, flags, std::move(body)});
  return verdict;
}

size_t link_outbox::take(std::string& out, size_t bytes_max) {
  const auto before = out.size();
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

void link_outbox::take_from(std::deque<entry>& lane, std::string& out) {
  auto& front = lane.front();
  const frame_view frame{front.kind, front.flags, front.body};
  if (front.body.size() <= opts_.chunk_bytes) {
    append_frame(out, frame);
  } else {
    front.sent = append_chunk(out, frame, front.sent, opts_.chunk_bytes);
    if (front.sent < front.body.size())
      return;
  }
  bytes_ -= frame_header_bytes + front.body.size();
  lane.pop_front();
}

} // namespace caf_app
