// Accepts connections from a listen_socket on an event loop and hands the descriptors to its owner.
// When the process runs out of descriptors it stops asking for a while instead of spinning; the
// queue of the kernel keeps the clients. A loop has at most one open acceptor per listen_socket.
//
//   accepting <--(pause(), no descriptors left: for pause_for_descriptors)--> paused;  close() -->
//   gone
#pragma once

#include <chrono>

#include "caf_app/loop/epoll_set.hpp"
#include "caf_app/loop/listen_socket.hpp"
#include "caf_app/loop/timer_wheel.hpp"

namespace caf_app {

class event_loop;

/// What an acceptor tells its owner, on the loop's thread, outside of any message handler.
class accept_owner {
public:
  virtual ~accept_owner() = default;

  /// Takes over `fd`: connected, non-blocking, close-on-exec. May call pause().
  virtual void on_accept(int fd, const socket_address& peer) = 0;

  /// Accepting has paused for a while because no descriptor (`error` EMFILE, ENFILE) or no memory
  /// is left, or the listening socket itself is broken.
  virtual void on_accept_paused(int error) = 0;

  /// A callback above has thrown. Must not throw itself: that ends the process.
  virtual void on_accept_exception() = 0;
};

/// On the thread of its loop only.
class acceptor final : private poll_handler {
public:
  /// How long it waits when none is left.
  static constexpr std::chrono::milliseconds pause_for_descriptors{100};
  /// Then the other sockets have their turn.
  static constexpr int accepts_per_event = 64;

  /// Starts accepting. @returns an object that frees itself after close()
  static acceptor* open(event_loop& loop, listen_socket_ptr socket, accept_owner& owner);

  /// Leaves connections in the kernel's queue until resume(). Idempotent.
  void pause();
  /// Accepts again, what is queued first. Idempotent.
  void resume();
  bool paused() const noexcept { return !accepting_; }

  /// Accepts what is queued right now; @returns how many
  size_t drain_queue();

  /// Lets go of the owner; the listening socket itself closes with its last reference, and another
  /// acceptor may be opened for it at once. The acceptor must not be used after it.
  void close();

  const listen_socket& socket() const noexcept { return *socket_; }

private:
  acceptor(event_loop& loop, listen_socket_ptr socket, accept_owner& owner);
  ~acceptor() override;

  enum class outcome { accepted, failed_connection, nothing_left };

  void on_poll(uint32_t events) noexcept override;
  outcome accept_one();
  void pause_after(int error);

  event_loop& loop_;
  listen_socket_ptr socket_;
  accept_owner* owner_;
  wheel_timer retry_;
  bool accepting_ = false;
};

} // namespace caf_app
