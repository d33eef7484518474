// The bytes of a link: plain or TLS over one socket, for whoever owns it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caf_app/loop/stream_socket.hpp"
#include "caf_app/loop/tls_session.hpp"

namespace caf_app {

/// One connection, on the thread of its loop.
class link_wire {
public:
  /// Takes over `fd`, connected or connecting.
  link_wire(event_loop& loop, int fd, stream_owner& owner);
  ~link_wire() { close(); }

  link_wire(const link_wire&) = delete;
  link_wire& operator=(const link_wire&) = delete;

  /// From now on everything is encrypted. Once, before anything is read or written.
  void secure(std::unique_ptr<tls_session> session);

  /// What arrived, decrypted. Valid until the next call.
  std::string_view receive(std::span<const char> bytes);

  /// Not after finish() or close().
  void write(std::string_view bytes);

  /// The connection, for whoever may write beside us; -1 if there must be nobody: with TLS.
  int plain_fd() const noexcept { return socket_ && !tls_ ? socket_->fd() : -1; }

  /// Waits to be sent below us.
  uint64_t queued() const noexcept { return socket_ ? socket_->queued() : 0; }
  uint64_t sent_bytes() const noexcept { return socket_ ? socket_->sent_bytes() : 0; }

  /// Whether bytes can be written: at once without TLS, else after its handshake.
  bool open() const noexcept { return socket_ && (!tls_ || tls_->state() == tls_state::open); }

  /// Why TLS has failed; empty if it has not.
  std::string failure() const;

  /// Names in the peer's certificate; unset without TLS.
  std::optional<std::vector<std::string>> certified_names() const;

  /// Sends what waits, then the end.
  void finish();
  /// Closes at once; what waits is lost.
  void close();
  bool closed() const noexcept { return socket_ == nullptr; }

private:
  void send_ciphertext();

  stream_socket* socket_;
  std::unique_ptr<tls_session> tls_;
  std::string plaintext_;
};

} // namespace caf_app
