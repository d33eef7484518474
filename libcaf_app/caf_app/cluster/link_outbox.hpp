// What waits for one peer. Heartbeats leave before control frames and those before messages, also
// in the middle of a long message, which is cut into chunks only when it leaves. The bound is on
// bytes: above it messages are refused, so that a slow peer costs a known amount of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "caf_app/base/limits.hpp"
#include "caf_app/cluster/link_frame.hpp"

namespace caf_app {

enum class push_verdict : uint8_t {
  queued,    ///< others were waiting already
  first,     ///< the outbox was empty: somebody has to wake the link
  congested, ///< refused: the bound is reached
  too_long,  ///< refused: longer than the peer accepts
  overflow,  ///< refused although it must not get lost: cut the link
};

class link_outbox {
public:
  struct options {
    size_t bytes_max = limits::cluster::link_buffer_bytes;     ///< of messages; twice that in all
    size_t frame_bytes_max = limits::cluster::frame_bytes_max; ///< what the peer accepts
    size_t chunk_bytes = limits::cluster::chunk_bytes;
  };

  explicit link_outbox(const options& opts) : opts_(opts) {}

  /// Queues a frame. Messages are refused above the bound; all other kinds above twice the bound.
  push_verdict push(frame_kind kind, uint8_t flags, std::string body);

  /// Moves frames to `out` until it holds `bytes_max` bytes or nothing is left. A single chunk or a
  /// short frame is moved whole.
  /// @returns how many bytes were appended
  size_t take(std::string& out, size_t bytes_max);

  bool empty() const noexcept { return bytes_ == 0; }

  /// Bytes that wait, headers of frames included.
  size_t bytes() const noexcept { return bytes_; }

private:
  struct entry {
    frame_kind kind;
    uint8_t flags;
    std::string body;
    size_t sent = 0; // of the body, in chunks
  };

  void take_from(std::deque<entry>& lane, std::string& out);

  options opts_;
  std::deque<entry> lanes_[3]; // by frame_lane
  size_t bytes_ = 0;
};

} // namespace caf_app
