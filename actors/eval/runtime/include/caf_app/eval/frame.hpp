// What driver and server say to each other, as bytes: length-prefixed frames over a stream socket.
//
//   frame   = u32 size of the rest, u8 kind, u64 id, payload          (little endian)
//   call    = u32 size of the header, header (JSON), body as the client sent it
//   reply   = u16 status, body
//   effect  = u8 effect, request (JSON);  effect_reply = u8 ok, reply (JSON) or why not
//
// Control channel (server and zygote): hello, describe -> description, fork (with a descriptor) ->
// forked. Worker channel: hello, call -> (effect -> effect_reply)* -> reply. The id of an answer is
// that of the question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::eval {

enum class frame_kind : uint8_t {
  hello = 1,   ///< the process is up; payload: JSON with protocol and confinement
  describe,    ///< what does the driver hold?
  description, ///< JSON: functions, graphs
  fork,        ///< payload: u64 key, u8 whether to look for calls before sleeping (adr/0025); a
               ///< descriptor comes along: fork a worker that speaks on it
  forked,      ///< payload: u32 process id (0: failed); a pidfd comes along
  call,
  reply,
  effect,
  effect_reply
};

/// One message of a channel.
struct frame {
  frame_kind kind{};
  uint64_t id = 0; ///< of the question; 0 for hello
  std::string payload;
};

/// Bytes before a payload.
inline constexpr size_t frame_head_bytes = 13;

/// Bytes that a payload may have beside the largest body.
inline constexpr size_t frame_envelope_max = size_t{1} << 20;

/// The protocol's version, in `hello`.
inline constexpr int frame_protocol = 2;

/// The bytes before a payload of that size.
std::string frame_head(frame_kind kind, uint64_t id, size_t payload_bytes);

/// A whole frame.
std::string encode(const frame& from);

/// Cuts a stream into frames.
class frame_reader {
public:
  /// `more`: the next frame is not whole yet. `broken`: an unknown kind, or a size below the head's
  /// or above the limit.
  enum class state : uint8_t { more, ready, broken };

  /// @param payload_max bytes; a larger payload breaks the stream
  explicit frame_reader(size_t payload_max) : payload_max_(payload_max) {}

  /// Takes bytes of the stream.
  void feed(std::string_view bytes) { buffer_.append(bytes); }

  /// Takes the next frame. `broken` is final.
  state next(frame& to);

private:
  size_t payload_max_;
  std::string buffer_;
  size_t used_ = 0; // bytes of the buffer that are gone
};

/// Little endian.
void append_u16(std::string& to, uint16_t value);
void append_u32(std::string& to, uint32_t value);
void append_u64(std::string& to, uint64_t value);

/// Takes a number off the front, nothing if the text is too short.
std::optional<uint16_t> take_u16(std::string_view& from);
std::optional<uint32_t> take_u32(std::string_view& from);
std::optional<uint64_t> take_u64(std::string_view& from);

} // namespace caf_app::eval
