// What a session needs of the connection below it, and what a connection needs of its session: the
// seam between sockets with or without TLS on one side and HTTP/1 or HTTP/2 on the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "actors/http/exchange.hpp"
#include "actors/http/http_metrics.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::http {

/// The connection below a session. On its loop.
class transport {
public:
  virtual ~transport() = default;

  /// Hands bytes to the socket, which copies what it cannot send at once.
  virtual void send(std::string_view bytes) = 0;

  /// The same, followed by a part of a file that is read when it is sent. One that is too short
  /// fails the connection.
  virtual void send_file(std::string_view bytes, shared_file_ptr file, uint64_t offset,
                         uint64_t length) = 0;

  /// Reads a part of a file, for content that has to be framed. May wait for the disk.
  /// @returns how many bytes; 0 at the end of the file, below 0 if it cannot be read
  virtual ptrdiff_t read(const shared_file& file, uint64_t offset, std::span<char> out) = 0;

  /// Bytes that the socket has not got rid of yet; with TLS more than were handed over.
  virtual uint64_t queued() const = 0;

  /// Bytes that the socket has got rid of since it was opened. Only grows.
  virtual uint64_t sent() const = 0;

  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;

  /// Sends FIN after what is queued, before it close_notify; input is still received.
  virtual void finish_output() = 0;

  /// Ends the connection. The session will not be called any more, but may be on the call stack.
  virtual void end(close_reason reason) = 0;

  /// @returns whether the peer has reset the connection, for the time in which nothing is read
  virtual bool broken() const = 0;

  /// @returns whether received bytes wait in the kernel
  virtual bool has_input() const = 0;

  /// The actor behind the connection, null in tests.
  virtual connection_base* owner() = 0;

  /// "address:port" of the client.
  virtual std::string_view peer() const = 0;

  /// "TLSv1.3"; empty on cleartext.
  virtual std::string_view tls_version() const { return {}; }

  /// Whether this connection may carry requests for `host`: not if its site asks for other client
  /// certificates than the one that the connection was made for. RFC 9110 §7.4
  virtual bool serves(std::string_view) const { return true; }
};

/// One connection in the protocol that its client speaks.
class protocol_session {
public:
  virtual ~protocol_session() = default;

  virtual void on_data(std::span<const char> bytes) = 0;

  /// The client has shut down its sending side.
  virtual void on_end() = 0;

  /// The socket has got rid of everything.
  virtual void on_drained() = 0;

  /// The connection is gone, for another reason than this session.
  virtual void on_lost(close_reason reason) = 0;

  /// After the end: drops what is open, so that its handler hears of it.
  virtual void release() = 0;

  /// Called at or after deadline(). May end the connection.
  virtual void on_deadline() = 0;

  /// When on_deadline() wants to be called next; ask after each of these calls.
  virtual steady::time_point deadline() const noexcept = 0;

  /// The connection shall end: what is open is the last.
  virtual void drain(nudge_cause why) = 0;

  /// @returns whether no request is open or partly received
  virtual bool idle() const noexcept = 0;

  /// The exchange with this number, if it still waits for its answer or for more of it.
  virtual exchange* find_open(uint64_t exchange_id) = 0;

  /// An exchange of find_open() was used.
  virtual void settle() = 0;
};

} // namespace caf_app::http
