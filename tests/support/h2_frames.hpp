// Raw HTTP/2 frames for tests: built byte by byte, so that a suite can send what no library would,
// and read back from what a session sent. HPACK is reduced to literals without indexing going out
// and the static table's statuses coming in.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2 {

enum type : uint8_t {
  data = 0,
  headers = 1,
  priority = 2,
  rst_stream = 3,
  settings = 4,
  push_promise = 5,
  ping = 6,
  goaway = 7,
  window_update = 8,
  continuation = 9,
  priority_update = 16,
};

enum flag : uint8_t {
  none = 0,
  ack = 1,
  end_stream = 1,
  end_headers = 4,
  padded = 8,
  prioritised = 32
};

inline std::string be32(uint32_t value) {
  std::string result;
  for (auto shift = 24; shift >= 0; shift -= 8)
    result += static_cast<char>(value >> shift);
  return result;
}

inline std::string be16(uint32_t value) { return be32(value).substr(2); }

inline std::string frame(uint8_t type, int flags, uint32_t stream, std::string_view payload = {}) {
  auto result = be32(static_cast<uint32_t>(payload.size())).substr(1);
  result += static_cast<char>(type);
  result += static_cast<char>(flags);
  return result.append(be32(stream)).append(payload);
}

inline const std::string magic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

inline std::string setting(uint16_t id, uint32_t value) { return be16(id) + be32(value); }

/// A client's first bytes: magic, SETTINGS, and the acknowledgement of the server's SETTINGS.
inline std::string hello(std::string_view entries = {}) {
  return magic + frame(settings, none, 0, entries) + frame(settings, ack, 0);
}

using lines = std::vector<std::pair<std::string, std::string>>;

inline std::string hpack_string(std::string_view text) {
  std::string result;
  if (text.size() < 127) {
    result += static_cast<char>(text.size());
  } else {
    result += '\x7f';
    auto rest = text.size() - 127;
    for (; rest >= 128; rest /= 128)
      result += static_cast<char>(rest % 128 + 128);
    result += static_cast<char>(rest);
  }
  return result.append(text);
}

inline std::string hpack(const lines& fields) {
  std::string result;
  for (const auto& [name, value] : fields)
    result.append(1, '\0').append(hpack_string(name)).append(hpack_string(value));
  return result;
}

/// Pseudo fields of a request, then `more`.
inline lines request(std::string method, std::string path = "/", const lines& more = {}) {
  lines result{{":method", std::move(method)},
               {":scheme", "https"},
               {":path", std::move(path)},
               {":authority", "example.org"}};
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

/// A whole field section in one HEADERS frame.
inline std::string section(uint32_t stream, const lines& fields, int flags) {
  return frame(headers, flags | end_headers, stream, hpack(fields));
}

inline std::string get(uint32_t stream, std::string path = "/") {
  return section(stream, request("GET", std::move(path)), end_stream);
}

inline std::string post(uint32_t stream, const lines& more = {}) {
  return section(stream, request("POST", "/", more), none);
}

inline std::string body(uint32_t stream, std::string_view bytes, int flags = end_stream) {
  return frame(data, flags, stream, bytes);
}

inline std::string rst(uint32_t stream, uint32_t code = 8) {
  return frame(rst_stream, none, stream, be32(code));
}

inline std::string window(uint32_t stream, uint32_t bytes) {
  return frame(window_update, none, stream, be32(bytes));
}

struct received {
  uint8_t type;
  uint8_t flags;
  uint32_t stream;
  std::string payload;
};

inline uint32_t number(std::string_view bytes) {
  uint32_t result = 0;
  for (const auto c : bytes)
    result = result << 8 | static_cast<uint8_t>(c);
  return result;
}

/// Takes the whole frames off the front of `bytes`.
inline std::vector<received> take_frames(std::string& bytes) {
  std::vector<received> result;
  size_t at = 0;
  while (bytes.size() - at >= 9) {
    const auto size = number(std::string_view{bytes}.substr(at, 3));
    if (bytes.size() - at < 9 + size)
      break;
    result.push_back({static_cast<uint8_t>(bytes[at + 3]), static_cast<uint8_t>(bytes[at + 4]),
                      number(std::string_view{bytes}.substr(at + 5, 4)),
                      bytes.substr(at + 9, size)});
    at += 9 + size;
  }
  bytes.erase(0, at);
  return result;
}

/// The status of a response's field section if the static table has it, else 0.
inline int status_of(std::string_view section) {
  while (!section.empty() && (section[0] & 0xe0) == 0x20) // a change of the table's size
    section.remove_prefix(1);
  constexpr int statuses[]{200, 204, 206, 304, 400, 404, 500};
  const auto index = section.empty() ? 0 : static_cast<uint8_t>(section[0]) - 0x88;
  return index >= 0 && index < 7 ? statuses[index] : 0;
}

inline std::string code_name(uint32_t code) {
  constexpr const char* names[]{"NO_ERROR",           "PROTOCOL_ERROR",   "INTERNAL_ERROR",
                                "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
                                "FRAME_SIZE_ERROR",   "REFUSED_STREAM",   "CANCEL",
                                "COMPRESSION_ERROR",  "CONNECT_ERROR",    "ENHANCE_YOUR_CALM"};
  return code < std::size(names) ? names[code] : std::to_string(code);
}

} // namespace h2
