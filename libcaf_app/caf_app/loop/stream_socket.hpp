// A connected stream socket on an event loop. It reads into the loop's buffer and calls its owner
// directly, writes directly, and asks for write events only after the kernel's buffer was full. It
// belongs to one owner, usually an actor of the loop, and is used on the loop's thread only.
//
//   open --close()/abort()--> closed (the descriptor too) --next job--> destroyed
//
// The object frees itself: close() may come from one of its own callbacks, so the owner only lets
// go of it. Events are edges (epoll(7)): the socket remembers what it has left unread, so that
// pausing costs nothing and a request needs no look at epoll but the one that reports it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "caf_app/loop/epoll_set.hpp"
#include "caf_app/loop/output_queue.hpp"

namespace caf_app {

class event_loop;

/// What a socket tells its owner, on the loop's thread, outside of any message handler and never
/// from within a call that the owner makes: an owner that is an actor must not quit here but send
/// itself a message. It may close the socket. An exception is caught and reported with
/// on_exception().
class stream_owner {
public:
  virtual ~stream_owner() = default;

  /// Bytes have arrived; the span is valid during the call. The owner keeps what it cannot use yet.
  virtual void on_data(std::span<const char> bytes) = 0;

  /// The peer has shut down its sending side. Reading has stopped; writing may go on.
  virtual void on_end() = 0;

  /// What the kernel had not taken at once has been handed to it; the queue is empty.
  virtual void on_drained() = 0;

  /// The connection is lost; `error` is an errno value. Nothing will be read or written any more.
  virtual void on_failed(int error) = 0;

  /// A callback above has thrown. Must not throw itself: that ends the process.
  virtual void on_exception() = 0;
};

/// Made by open(), never on the stack; all functions on the thread of the loop.
class stream_socket final : private poll_handler {
public:
  /// Takes over `fd`, a non-blocking stream socket, and starts reading. If the kernel refuses to
  /// watch it, a later on_failed() tells.
  /// @returns an object that frees itself after close() or abort()
  static stream_socket* open(event_loop& loop, int fd, stream_owner& owner);

  // -- writing ----------------------------------------------------------------

  /// Sends `bytes`, now if possible; what the kernel does not take is copied and sent later, then
  /// on_drained() tells. A lost connection is reported by a later on_failed(). Not after
  /// shutdown_write().
  void write(std::string_view bytes);

  /// Sends a head and `length` bytes of `file` from `offset` on, by sendfile.
  void write_file(std::string_view head, shared_file_ptr file, uint64_t offset, uint64_t length);

  /// Bytes that wait to be sent.
  uint64_t queued() const noexcept { return output_.size(); }

  /// Bytes that were handed to the kernel so far.
  uint64_t sent_bytes() const noexcept { return sent_; }

  /// Sends FIN after what is queued.
  void shutdown_write();

  // -- reading ----------------------------------------------------------------

  /// Stops reading: the peer meets back-pressure. Idempotent, like resume_reading(), which does
  /// nothing after on_end() or on_failed().
  void pause_reading();
  void resume_reading();
  bool reading() const noexcept { return want_read_; }

  /// From now on a reset, or a failed write, is reported only after what the peer had sent before
  /// was read: for clients, whose server may have answered early and closed.
  void read_before_failing() noexcept { salvages_ = true; }

  /// For options of the socket; stays ours.
  int fd() const noexcept { return fd_; }

  // -- end ----------------------------------------------------------------------

  /// Lets go of the owner and closes; what is queued is lost. The socket must not be used after it.
  void close();

  /// Like close(), but the peer gets RST.
  void abort();

  /// @returns whether the peer has reset the connection meanwhile. For owners that have paused
  /// reading, who are told of it only when they resume.
  bool broken() const noexcept;

private:
  stream_socket(event_loop& loop, int fd, stream_owner& owner);
  ~stream_socket() override;

  void on_poll(uint32_t events) noexcept override;
  void on_events(uint32_t events);
  void read_some();
  void write_some();
  int flush();
  void give_up();
  void stop_watching();
  void fail(int error);
  void fail_later(int error);
  void salvage();
  void await_room();
  void make_edges_again();
  uint32_t wanted_events() const noexcept;

  event_loop& loop_;
  int fd_; // -1 once closed
  stream_owner* owner_;
  output_queue output_;
  uint64_t sent_ = 0;
  bool want_read_ = false;
  bool want_write_ = false;
  bool watches_room_ = false; // epoll tells when there is room to write
  bool watched_ = false;      // epoll knows it
  bool unread_ = false;       // the last edge has not been read to its end
  bool hung_up_ = false;      // read until the end, whatever the sizes say
  bool ended_ = false;
  bool end_after_output_ = false;
  bool failed_ = false;
  bool salvages_ = false;
  int lost_ = 0; // errno of what has ended the output of a socket that salvages its input
};

} // namespace caf_app
