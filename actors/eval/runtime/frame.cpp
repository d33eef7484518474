#include "caf_app/eval/frame.hpp"

namespace caf_app::eval {

namespace {

void append(std::string& to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    to += static_cast<char>(value >> (8 * i));
}

std::optional<uint64_t> take(std::string_view& from, size_t bytes) {
  if (from.size() < bytes)
    return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= uint64_t{static_cast<uint8_t>(from[i])} << (8 * i);
  from.remove_prefix(bytes);
  return value;
}

/// The rest of a frame after its size: kind and id.
constexpr size_t fixed_bytes = 9;

} // namespace

void append_u16(std::string& to, uint16_t value) { append(to, value, 2); }
void append_u32(std::string& to, uint32_t value) { append(to, value, 4); }
void append_u64(std::string& to, uint64_t value) { append(to, value, 8); }

std::optional<uint16_t> take_u16(std::string_view& from) {
  auto value = take(from, 2);
  return value ? std::optional{static_cast<uint16_t>(*value)} : std::nullopt;
}

std::optional<uint32_t> take_u32(std::string_view& from) {
  auto value = take(from, 4);
  return value ? std::optional{static_cast<uint32_t>(*value)} : std::nullopt;
}

std::optional<uint64_t> take_u64(std::string_view& from) { return take(from, 8); }

std::string frame_head(frame_kind kind, uint64_t id, size_t payload_bytes) {
  std::string head;
  append_u32(head, static_cast<uint32_t>(payload_bytes + fixed_bytes));
  head += static_cast<char>(kind);
  append_u64(head, id);
  return head;
}

std::string encode(const frame& from) {
  return frame_head(from.kind, from.id, from.payload.size()) + from.payload;
}

frame_reader::state frame_reader::next(frame& to) {
  auto rest = std::string_view{buffer_}.substr(used_);
  const auto size = take_u32(rest);
  if (!size)
    return state::more;
  if (*size < fixed_bytes || *size - fixed_bytes > payload_max_)
    return state::broken;
  if (rest.size() < *size)
    return state::more;
  const auto kind = static_cast<uint8_t>(rest.front());
  if (kind < static_cast<uint8_t>(frame_kind::hello) ||
      kind > static_cast<uint8_t>(frame_kind::effect_reply))
    return state::broken;
  rest.remove_prefix(1);
  to.kind = static_cast<frame_kind>(kind);
  to.id = *take_u64(rest);
  to.payload = rest.substr(0, *size - fixed_bytes);
  used_ += sizeof(uint32_t) + *size;
  if (used_ == buffer_.size()) {
    buffer_.clear();
    used_ = 0;
  } else if (used_ > buffer_.size() / 2) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  return state::ready;
}

} // namespace caf_app::eval
