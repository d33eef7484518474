#include "caf_app/cluster/frame_reader.hpp"

#include <utility>

namespace caf_app {

namespace {

size_t read_u32(std::string_view bytes) {
  size_t x = 0;
  for (size_t i = 0; i < 4; ++i)
    x = (x << 8) | static_cast<uint8_t>(bytes[i]);
  return x;
}

} // namespace

std::string to_string(frame_fault fault) {
  switch (fault) {
    case frame_fault::none: return "none";
    case frame_fault::too_long: return "a frame is longer than the limit";
    case frame_fault::unknown_kind: return "a frame of an unknown kind";
    case frame_fault::bad_chunk: return "a chunk that does not fit the one before";
  }
  return "unknown fault";
}

void frame_reader::append(std::string_view bytes) {
  if (fault_ != frame_fault::none)
    return;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_.append(bytes);
}

size_t frame_reader::held() const noexcept {
  return buffer_.size() - begin_ + assembling_[0].body.size() + assembling_[1].body.size();
}

std::optional<frame_view> frame_reader::fail(frame_fault fault) noexcept {
  fault_ = fault;
  buffer_.clear();
  begin_ = 0;
  return std::nullopt;
}

std::optional<frame_view> frame_reader::next() {
  while (fault_ == frame_fault::none) {
    const auto unread = std::string_view{buffer_}.substr(begin_);
    if (unread.size() >= 4 && read_u32(unread) > body_bytes_max_)
      return fail(frame_fault::too_long);
    if (unread.size() < frame_header_bytes)
      return std::nullopt;
    const auto length = read_u32(unread);
    const auto kind = static_cast<uint8_t>(unread[4]);
    const auto flags = static_cast<uint8_t>(unread[5]);
    if (!known_kind(kind))
      return fail(frame_fault::unknown_kind);
    if (unread.size() - frame_header_bytes < length)
      return std::nullopt;
    const auto body = unread.substr(frame_header_bytes, length);
    begin_ += frame_header_bytes + length;
    if (static_cast<frame_kind>(kind) != frame_kind::chunk)
      return frame_view{static_cast<frame_kind>(kind), flags, body};
    if (!take_chunk(flags, body))
      return fail(frame_fault::bad_chunk);
    if ((flags & last_chunk_flag) != 0) {
      const auto& done = assembling_[(flags & control_chunk_flag) != 0 ? 1 : 0];
      return frame_view{done.kind, done.flags, finished_};
    }
  }
  return std::nullopt;
}

bool frame_reader::open_assembly(assembly& into, frame_lane lane, std::string_view& piece) {
  if (into.open || piece.size() < 6)
    return false;
  into.total = read_u32(piece);
  const auto kind = static_cast<uint8_t>(piece[4]);
  into.flags = static_cast<uint8_t>(piece[5]);
  piece.remove_prefix(6);
  into.kind = static_cast<frame_kind>(kind);
  into.open = true;
  return known_kind(kind) && into.kind != frame_kind::chunk && into.total <= body_bytes_max_ &&
         lane_of(into.kind) == lane;
}

bool frame_reader::take_chunk(uint8_t flags, std::string_view piece) {
  const bool control = (flags & control_chunk_flag) != 0;
  auto& into = assembling_[control ? 1 : 0];
  if ((flags & first_chunk_flag) != 0) {
    if (!open_assembly(into, control ? frame_lane::control : frame_lane::data, piece))
      return false;
  } else if (!into.open) {
    return false;
  }
  if (piece.empty() || piece.size() > into.total - into.body.size())
    return false;
  into.body.append(piece);
  const bool last = (flags & last_chunk_flag) != 0;
  if (last != (into.body.size() == into.total))
    return false;
  if (last) {
    finished_ = std::exchange(into.body, {});
    into.open = false;
  }
  return true;
}

} // namespace caf_app
