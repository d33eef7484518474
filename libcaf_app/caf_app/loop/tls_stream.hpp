// The sending side of a TLS connection on a stream_socket: encrypts what its owner writes and hands
// it to the socket, files included, which TLS has to read. It bounds what waits: files go on only
// as the socket gets rid of what it has. The receiving side is a pass through tls_session.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "caf_app/loop/output_queue.hpp"
#include "caf_app/loop/stream_socket.hpp"
#include "caf_app/loop/tls_session.hpp"

namespace caf_app {

/// One connection, on the thread of its loop.
class tls_stream {
public:
  /// The server's side. @param socket outlives this, or is let go of with release()
  tls_stream(std::shared_ptr<const tls_context> context, stream_socket& socket)
      : session_(std::move(context)), socket_(&socket) {}

  /// The client's side: its first message is sent at once. @param name of the server
  tls_stream(std::shared_ptr<const tls_client_context> context, const std::string& name,
             stream_socket& socket)
      : session_(std::move(context), name), socket_(&socket) {
    flush();
  }

  /// Takes what the socket has received, appends what it says to `plaintext`, and answers what TLS
  /// itself has to answer.
  tls_state receive(std::span<const char> ciphertext, std::string& plaintext);

  /// Encrypts and sends all of `plaintext`. Not after finish().
  void write(std::string_view plaintext);

  /// The same, followed by `length` bytes of `file` from `offset` on.
  void write_file(std::string_view plaintext, shared_file_ptr file, uint64_t offset,
                  uint64_t length);

  /// Sends close_notify and FIN after what is queued.
  void finish();

  /// Sends close_notify now, unless something waits; for who closes at once.
  void say_goodbye();

  /// To be called when the socket has drained. @returns whether nothing waits here either
  bool on_drained();

  /// Whether a file has turned out shorter than promised: the connection cannot go on.
  bool file_ended() const noexcept { return file_ended_; }

  /// Bytes that wait, here and in the socket.
  uint64_t queued() const noexcept { return (socket_ ? socket_->queued() : 0) + pending_; }

  const tls_session& session() const noexcept { return session_; }

  /// The socket is gone.
  void release() noexcept;

private:
  struct piece {
    std::string bytes;
    shared_file_ptr file;
    uint64_t offset = 0;
    uint64_t length = 0;
  };

  void flush();
  void pump();
  bool send_slice(piece& next);

  tls_session session_;
  stream_socket* socket_;
  std::deque<piece> pieces_; // plaintext behind a part of a file
  uint64_t pending_ = 0;     // bytes of them
  bool finishing_ = false;
  bool file_ended_ = false;
};

} // namespace caf_app
