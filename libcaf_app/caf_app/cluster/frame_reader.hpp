// Cuts the bytes of a link into frames and puts chunks together again. Bytes may come in slices of
// any size. Memory grows with the bytes that have arrived, never by what a peer announces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "caf_app/cluster/link_frame.hpp"

namespace caf_app {

/// Why the bytes of a peer are no frames. The connection has to be closed.
enum class frame_fault : uint8_t {
  none,
  too_long,     ///< announces a body above the limit
  unknown_kind, ///< no such kind of frame
  bad_chunk,    ///< a chunk without a beginning, of a forbidden kind or of a wrong length
};

/// A sentence for logs.
std::string to_string(frame_fault fault);

/// Of one connection. Holds at most a frame and what append() has brought.
class frame_reader {
public:
  /// @param body_bytes_max largest body, for chunks put together as well
  explicit frame_reader(size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  /// Raises the limit, once the peer is known.
  void limit(size_t body_bytes_max) noexcept { body_bytes_max_ = body_bytes_max; }

  /// Adds bytes from the connection; views that next() returned are gone.
  void append(std::string_view bytes);

  /// @returns the next whole frame, never a chunk; its body is valid until the next call of a
  /// function of this object. Nothing if bytes are missing, or after a fault.
  std::optional<frame_view> next();

  /// After a fault there are no more frames.
  frame_fault fault() const noexcept { return fault_; }

  /// Bytes that are held: unread ones and chunks of unfinished frames.
  size_t held() const noexcept;

private:
  struct assembly {
    bool open = false;
    frame_kind kind = frame_kind::message;
    uint8_t flags = 0;
    size_t total = 0;
    std::string body;
  };

  std::optional<frame_view> fail(frame_fault fault) noexcept;
  bool take_chunk(uint8_t flags, std::string_view piece);
  bool open_assembly(assembly& into, frame_lane lane, std::string_view& piece);

  size_t body_bytes_max_;
  frame_fault fault_ = frame_fault::none;
  std::string buffer_;
  size_t begin_ = 0;       // of what is unread in buffer_
  assembly assembling_[2]; // data, control
  std::string finished_;   // body of the last frame that came in chunks
};

} // namespace caf_app
