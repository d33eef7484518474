// What a loop waits on: one epoll descriptor and the handlers behind its entries. Edges or levels
// is the choice of each handler. Why not CAF's multiplexer: adr/0005-own-epoll-set.md. One thread
// only.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace caf_app {

/// Whom an epoll_set calls.
class poll_handler {
public:
  virtual ~poll_handler() = default;

  /// @param events EPOLLIN, EPOLLOUT, EPOLLRDHUP, EPOLLHUP, EPOLLERR. Must not throw.
  virtual void on_poll(uint32_t events) noexcept = 0;
};

/// Neither copyable nor thread safe.
class epoll_set {
public:
  static constexpr size_t events_per_wait = 256;

  /// Ends the process if the kernel has no descriptor for it: a loop cannot be without.
  epoll_set();
  ~epoll_set();
  epoll_set(const epoll_set&) = delete;
  epoll_set& operator=(const epoll_set&) = delete;

  /// Calls `handler` when `fd` has one of `events` (flags of epoll_ctl(2), EPOLLET among them).
  /// @returns 0 or an errno value: ENOSPC (fs.epoll.max_user_watches) or ENOMEM
  int add(int fd, uint32_t events, poll_handler& handler) noexcept;

  /// Replaces the events of a descriptor that was added. What is ready now is reported again, edges
  /// too.
  void change(int fd, uint32_t events, poll_handler& handler) noexcept;

  /// `handler` is not called any more, not even for what the current wait has found.
  void remove(int fd, const poll_handler& handler) noexcept;

  /// Waits up to `timeout_ms`, -1 without limit. Ends early on a signal.
  void wait(int timeout_ms) noexcept;

  /// Whether the last wait() has found something that was not dispatched yet.
  bool has_found() const noexcept { return next_ < count_; }

  /// Calls the handlers of what wait() has found. They may add and remove any.
  void dispatch() noexcept;

private:
  int fd_;
  std::array<epoll_event, events_per_wait> found_{};
  size_t next_ = 0;
  size_t count_ = 0;
};

} // namespace caf_app
