// A connected stream socket on an event loop. It reads into the loop's buffer and calls its owner
// directly, writes directly, and asks for write events only after the kernel's buffer was full. It
// belongs to one owner, usually an actor of the loop, and is used on the loop's thread only.
//
//   open --close()/abort()/owner gone--> detached --last event delivered--> destroyed (closes the
//   descriptor)
//
// The object frees itself: events of the same round may still point to it, so the owner only lets
// go of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <caf/io/network/event_handler.hpp>

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

class stream_socket final : public caf::io::network::event_handler {
public:
  /// Takes over `fd`, a non-blocking stream socket, and starts reading.
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

  // -- end ----------------------------------------------------------------------

  /// Lets go of the owner and closes; what is queued is lost. The socket must not be used after it.
  void close();

  /// Like close(), but the peer gets RST.
  void abort();

  /// @returns whether the peer has reset the connection meanwhile. For sockets that neither read
  /// nor write, which get no events.
  bool broken() const noexcept;

  // -- CAF's side ---------------------------------------------------------------

  void handle_event(caf::io::network::operation op) override;
  void removed_from_loop(caf::io::network::operation op) override;
  void graceful_shutdown() override { close(); }

private:
  stream_socket(event_loop& loop, int fd, stream_owner& owner);
  ~stream_socket() override;

  void read_some();
  void write_some();
  int flush();
  void give_up();
  void fail(int error);
  void fail_later(int error);
  void want_write(bool on);
  void destroy_if_idle();

  event_loop& loop_;
  stream_owner* owner_;
  output_queue output_;
  uint64_t sent_ = 0;
  bool want_read_ = false;
  bool want_write_ = false;
  bool ended_ = false;
  bool end_after_output_ = false;
  bool failed_ = false;
  bool dying_ = false;
};

} // namespace caf_app
