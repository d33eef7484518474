// The frames of a link: a header of six bytes (length of the body, kind, flags), then the body.
// What the kinds mean and which bodies they have is in README.md and link_body.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace caf_app {

/// Numbers are part of the protocol.
enum class frame_kind : uint8_t {
  hello = 1,   ///< who I am: hello_body
  auth,        ///< proof of the cluster secret: auth_body
  refused,     ///< why the link ends: refused_body
  heartbeat,   ///< heartbeat_body
  message,     ///< message_head and a message, or publish_head and a message
  chunk,       ///< a piece of a long frame
  monitor,     ///< tell me when this actor ends: actor_body
  demonitor,   ///< no longer: actor_body
  down,        ///< it ended: down_body
  error_reply, ///< a request could not be delivered: error_reply_body
  gossip,      ///< members
  names,       ///< cluster names
  groups,      ///< members of cluster groups
  goodbye,     ///< the node leaves; nothing follows
};

/// For logs.
std::string to_string(frame_kind kind);

/// @returns whether `raw` is one of the kinds above
bool known_kind(uint8_t raw) noexcept;

/// What leaves first. Within a lane frames keep their order. `down` and `error_reply` share the
/// lane of messages: a down frame arrives after the last message of the actor that it is about.
enum class frame_lane : uint8_t { urgent, control, data };

/// The lane that frames of this kind leave by.
frame_lane lane_of(frame_kind kind) noexcept;

/// Flags of a message.
inline constexpr uint8_t to_group_flag = 1; ///< the body begins with publish_head
/// Flags of monitor and demonitor.
inline constexpr uint8_t link_flag = 1; ///< the body is a link_body
/// Flags of a chunk.
inline constexpr uint8_t first_chunk_flag = 1;
inline constexpr uint8_t last_chunk_flag = 2;
inline constexpr uint8_t control_chunk_flag = 4; ///< of a frame of the control lane

inline constexpr size_t frame_header_bytes = 6;

/// A frame whose body is somewhere else.
struct frame_view {
  frame_kind kind = frame_kind::heartbeat;
  uint8_t flags = 0;
  std::string_view body;
};

/// Appends what precedes a body of `body_bytes`.
/// @pre the body is shorter than 4 GiB
void append_frame_header(std::string& out, frame_kind kind, uint8_t flags, size_t body_bytes);

/// Appends header and body.
/// @pre the body is shorter than 4 GiB
void append_frame(std::string& out, const frame_view& frame);

/// Appends the chunks of a frame, or the frame itself if it is short. For tests and short lived
/// links; link_outbox cuts frames lazily.
void append_frame_in_chunks(std::string& out, const frame_view& frame, size_t chunk_bytes);

/// Appends the chunk of `frame` that begins at `offset` of its body.
/// @returns the offset of the next chunk; the size of the body after the last one
size_t append_chunk(std::string& out, const frame_view& frame, size_t offset, size_t chunk_bytes);

} // namespace caf_app
