// A blocking frame channel over a stream socket, with descriptors. Used by drivers, which have
// nothing else to do, and by tools and tests; the server's own side is asynchronous.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "caf_app/base/busy_poll.hpp"
#include "caf_app/eval/frame.hpp"

namespace caf_app::eval {

/// One end of a conversation. One thread.
class channel {
public:
  /// What a wait came to. `closed`: by the other side, or the socket failed. `broken`: what came is
  /// no frame, or a larger one than allowed.
  enum class event : uint8_t { frame, closed, broken, timeout };

  /// @param fd is owned; a stream socket of the local domain
  /// @param payload_max bytes of a frame that is received
  /// @param busy_poll whether to look for a frame before a wait without timeout
  channel(int fd, size_t payload_max, bool busy_poll = false);
  ~channel();
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Waits for a frame.
  /// @param timeout_ms of each wait for bytes, not of the whole frame; below zero: for ever
  /// @returns `timeout` also when a signal came
  event receive(frame& to, int timeout_ms = -1);

  /// Sends a frame in two parts, which saves copying a large body. Blocks until all is written.
  /// @param descriptor goes along if not negative; it stays with the caller
  /// @returns false if the other side is gone
  bool send(frame_kind kind, uint64_t id, std::string_view front, std::string_view back = {},
            int descriptor = -1);

  /// The oldest descriptor that came along with frames, now the caller's; -1 if there is none.
  int take_descriptor();

  int fd() const noexcept { return fd_; }

  /// Closes the socket and the descriptors that nobody took.
  void close();

private:
  event read_more(int timeout_ms);

  int fd_;
  frame_reader reader_;
  std::optional<busy_poll> busy_poll_;
  std::vector<int> descriptors_;
};

} // namespace caf_app::eval
