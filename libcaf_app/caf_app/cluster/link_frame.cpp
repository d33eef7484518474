#include "caf_app/cluster/link_frame.hpp"

#include <algorithm>
#include <limits>

#include "caf_app/base/assert.hpp"

namespace caf_app {

namespace {

void write_u32(char* to, size_t x) {
  CAF_APP_ASSERT(x <= std::numeric_limits<uint32_t>::max());
  for (int shift = 24; shift >= 0; shift -= 8)
    *to++ = static_cast<char>((x >> shift) & 0xff);
}

} // namespace

std::string to_string(frame_kind kind) {
  switch (kind) {
    case frame_kind::hello: return "hello";
    case frame_kind::auth: return "auth";
    case frame_kind::refused: return "refused";
    case frame_kind::heartbeat: return "heartbeat";
    case frame_kind::message: return "message";
    case frame_kind::chunk: return "chunk";
    case frame_kind::monitor: return "monitor";
    case frame_kind::demonitor: return "demonitor";
    case frame_kind::down: return "down";
    case frame_kind::error_reply: return "error_reply";
    case frame_kind::gossip: return "gossip";
    case frame_kind::names: return "names";
    case frame_kind::groups: return "groups";
    case frame_kind::goodbye: return "goodbye";
  }
  return "unknown";
}

bool known_kind(uint8_t raw) noexcept {
  return raw >= static_cast<uint8_t>(frame_kind::hello) &&
         raw <= static_cast<uint8_t>(frame_kind::goodbye);
}

frame_lane lane_of(frame_kind kind) noexcept {
  switch (kind) {
    case frame_kind::hello:
    case frame_kind::auth:
    case frame_kind::refused:
    case frame_kind::heartbeat: return frame_lane::urgent;
    case frame_kind::monitor:
    case frame_kind::demonitor:
    case frame_kind::gossip:
    case frame_kind::names:
    case frame_kind::groups: return frame_lane::control;
    case frame_kind::message:
    case frame_kind::chunk:
    case frame_kind::down:
    case frame_kind::error_reply:
    case frame_kind::goodbye: return frame_lane::data;
  }
  return frame_lane::data;
}

void append_frame_header(std::string& out, frame_kind kind, uint8_t flags, size_t body_bytes) {
  char bytes[frame_header_bytes];
  write_u32(bytes, body_bytes);
  bytes[4] = static_cast<char>(kind);
  bytes[5] = static_cast<char>(flags);
  out.append(bytes, sizeof bytes);
}

void append_frame(std::string& out, const frame_view& frame) {
  append_frame_header(out, frame.kind, frame.flags, frame.body.size());
  out.append(frame.body);
}

size_t append_chunk(std::string& out, const frame_view& frame, size_t offset, size_t chunk_bytes) {
  const auto piece = frame.body.substr(offset, chunk_bytes);
  const auto end = offset + piece.size();
  const size_t head_bytes = offset == 0 ? 6 : 0;
  uint8_t flags = lane_of(frame.kind) == frame_lane::control ? control_chunk_flag : 0;
  flags |= offset == 0 ? first_chunk_flag : 0;
  flags |= end == frame.body.size() ? last_chunk_flag : 0;
  append_frame_header(out, frame_kind::chunk, flags, head_bytes + piece.size());
  if (offset == 0)
    append_frame_header(out, frame.kind, frame.flags, frame.body.size());
  out.append(piece);
  return end;
}

void append_frame_in_chunks(std::string& out, const frame_view& frame, size_t chunk_bytes) {
  if (frame.body.size() <= chunk_bytes)
    return append_frame(out, frame);
  for (size_t offset = 0; offset < frame.body.size();)
    offset = append_chunk(out, frame, offset, chunk_bytes);
}

} // namespace caf_app
