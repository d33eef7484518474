#include "caf_app/cluster/body_codec.hpp"

namespace caf_app {

namespace {

constexpr size_t message_head_bytes = 3 * sizeof(uint64_t) + sizeof(uint32_t);

template <class T>
char* put(char* to, T x) {
  for (size_t i = sizeof(T); i-- > 0;)
    *to++ = static_cast<char>((x >> (8 * i)) & 0xff);
  return to;
}

template <class T>
const char* get(const char* from, T& x) {
  x = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    x = static_cast<T>((x << 8) | static_cast<uint8_t>(*from++));
  return from;
}

} // namespace

void append_body(std::string& out, const message_head& head) {
  char bytes[message_head_bytes];
  put(put(put(put(bytes, head.receiver), head.sender), head.message_id), head.deadline_ms);
  out.append(bytes, sizeof bytes);
}

template <>
std::optional<message_head> take_body<message_head>(std::string_view& bytes) {
  if (bytes.size() < message_head_bytes)
    return std::nullopt;
  message_head head;
  get(get(get(get(bytes.data(), head.receiver), head.sender), head.message_id), head.deadline_ms);
  bytes.remove_prefix(message_head_bytes);
  return head;
}

} // namespace caf_app
