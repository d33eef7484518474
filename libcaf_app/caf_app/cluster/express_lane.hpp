// The way of messages past the loop: while the connection is idle, the thread that sends hands them
// to it, which saves waking the loop. Which messages leave at once and which wait for the end of
// their sender's turn is a matter of how closely they follow each other: a batch of them costs one
// system call.
//
// Measured with 1 and 64 asks in flight on two cores: bench/run cluster; adr/0018-senders-write.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace caf_app {

/// Not thread safe: guarded by the locks of the channel.
class express_lane {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Messages that are closer to each other than this make a batch: well above what an actor needs
  /// between two asks (3 us), well below a round trip (60 us).
  static constexpr std::chrono::microseconds gap{25};

  /// So many messages of one turn leave before it ends: the peer works on them meanwhile.
  static constexpr size_t batch_messages_max = 32;

  /// @param fd a connected, non-blocking stream socket without encryption; stays the caller's
  void open(int fd) noexcept { fd_ = fd; }

  void close() noexcept { fd_ = -1; }

  bool is_open() const noexcept { return fd_ >= 0; }

  /// Notes a message that is sent at `now`.
  /// @returns whether it follows no other closely
  bool note(time_point now) noexcept;

  /// Whether so many have gathered that they should leave.
  bool is_full() const noexcept { return gathered_ >= batch_messages_max; }

  /// What had gathered has left.
  void left() noexcept { gathered_ = 0; }

  /// Hands over as much of `bytes` as the connection takes at once.
  /// @returns how many it has taken; 0 also if the connection is broken, of which the loop hears by
  /// itself
  size_t write(std::string_view bytes) noexcept;

private:
  int fd_ = -1; // -1: closed
  time_point last_{};
  size_t gathered_ = 0;
};

} // namespace caf_app
