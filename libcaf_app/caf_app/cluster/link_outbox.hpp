// What waits for one peer. Heartbeats leave before control frames and those before messages, also
// in the middle of a long message, which is cut into chunks only when it leaves. Short frames are
// laid one after the other at once, so that a batch of them is one block of memory. The bound is on
// bytes: above it messages are refused, so that a slow peer costs a known amount of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "caf_app/base/limits.hpp"
#include "caf_app/cluster/link_frame.hpp"

namespace caf_app {

/// What came of push().
enum class push_verdict : uint8_t {
  queued,    ///< others were waiting already
  first,     ///< the outbox was empty: somebody has to wake the link
  congested, ///< refused: the bound is reached
  too_long,  ///< refused: longer than the peer accepts
  overflow,  ///< refused although it must not get lost: cut the link
};

/// Frames that wait for one link. Not thread safe.
class link_outbox {
public:
  /// Bounds, in bytes.
  struct options {
    size_t bytes_max = limits::cluster::link_buffer_bytes;     ///< of messages; twice that in all
    size_t frame_bytes_max = limits::cluster::frame_bytes_max; ///< what the peer accepts
    size_t chunk_bytes = limits::cluster::chunk_bytes;
  };

  explicit link_outbox(const options& opts) : opts_(opts) {}

  /// From now on other bounds hold; what waits stays.
  void limit(const options& opts) { opts_ = opts; }

  /// Queues a frame. Messages are refused above the bound; all other kinds above twice the bound.
  push_verdict push(frame_kind kind, uint8_t flags, std::string body);

  /// Takes back the end of what take() gave, which leaves first.
  void push_rest(std::string rest);

  /// Whether a body of this length is one that the peer accepts.
  bool fits(size_t body_bytes) const noexcept { return body_bytes <= opts_.frame_bytes_max; }

  /// Moves frames to `out` until it holds `bytes_max` bytes or nothing is left. A single chunk, or
  /// what was gathered of short frames up to the length of one, is moved whole.
  /// @returns how many bytes were appended
  size_t take(std::string& out, size_t bytes_max);

  bool empty() const noexcept { return bytes_ == 0; }

  /// Bytes that wait, headers of frames included.
  size_t bytes() const noexcept { return bytes_; }

private:
  /// Short frames one after the other, ready to leave; or the body of a long one.
  struct entry {
    std::string bytes;
    std::optional<frame_view> chunked; // of a long one; its body is `bytes`
    size_t sent = 0;                   // of the body, in chunks
  };
  using lane = std::deque<entry>;

  std::string& open_batch(lane& in, size_t more);
  void take_from(lane& from, std::string& out);

  options opts_;
  std::string rest_;  // of a frame that was cut by the connection
  lane lanes_[3];     // by frame_lane
  std::string spare_; // empty; keeps its memory for the next batch
  size_t bytes_ = 0;
};

} // namespace caf_app
