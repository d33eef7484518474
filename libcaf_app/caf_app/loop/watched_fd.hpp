// Tells its owner that a descriptor which is no connection can be read: a pipe, a pidfd, an
// eventfd. The owner reads; this only watches, on a duplicate, so the owner may close its own
// descriptor whenever it likes.
#pragma once

#include <functional>

#include "caf_app/loop/epoll_set.hpp"

namespace caf_app {

class event_loop;

/// Made by open(), never on the stack.
class watched_fd final : public poll_handler {
public:
  /// Starts watching. On the loop's thread only.
  /// @param on_readable runs on the loop's thread, outside of any message handler, as long as there
  /// is something to read, and once when the other end is gone. Must not throw.
  /// @returns an object that frees itself after close(); null if descriptors or memory run out
  static watched_fd* open(event_loop& loop, int fd, std::function<void()> on_readable);

  /// Stops watching. The object must not be used after it.
  void close();

  void on_poll(uint32_t events) noexcept override;

private:
  watched_fd(event_loop& loop, int duplicate, std::function<void()> on_readable);
  ~watched_fd() override;

  event_loop& loop_;
  int fd_;
  std::function<void()> on_readable_; // empty once closed
};

} // namespace caf_app
