// One TLS connection without a socket: ciphertext in, plaintext out, and back. OpenSSL reads where
// the caller's bytes lie and writes into a buffer of ours (adr/0007-tls.md).
//
//   handshaking --> open --> closed     (close_notify of the peer; we may still send)
//        `------------'----> failed     (an alert waits in the output; nothing more works)
//
// After each call the owner sends pending_output().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "caf_app/loop/tls_client_context.hpp"
#include "caf_app/loop/tls_context.hpp"

namespace caf_app {

/// How far a session is; see the diagram.
enum class tls_state : uint8_t { handshaking, open, closed, failed };

/// What a handshake has agreed on.
struct tls_info {
  std::string version; ///< "TLSv1.2" or "TLSv1.3"
  std::string cipher;
  std::string alpn; ///< "h2", "http/1.1", or empty
  std::string name; ///< SNI as sent, empty if none
  size_t site = 0;  ///< of the server's tls_context
  bool resumed = false;
  std::string peer_subject;     ///< of a verified certificate, one line of RFC 2253; else empty
  std::string peer_fingerprint; ///< SHA-256 in hex, of the same
  std::vector<std::string> peer_names; ///< DNS names of the same (subjectAltName)
};

/// One connection, one thread.
class tls_session {
public:
  /// The server's side.
  explicit tls_session(std::shared_ptr<const tls_context> context);

  /// The client's side: its first message waits in the output.
  tls_session(std::shared_ptr<const tls_client_context> context, const std::string& name);

  ~tls_session();

  tls_session(const tls_session&) = delete;
  tls_session& operator=(const tls_session&) = delete;

  /// Takes all of `ciphertext`, appends what it says to `plaintext`.
  tls_state receive(std::string_view ciphertext, std::string& plaintext);

  /// Encrypts all of `plaintext`. @returns false before `open` and after shut_down() or a failure
  bool write(std::string_view plaintext);

  /// Sends close_notify; nothing can be written afterwards. Input is still taken.
  void shut_down();

  /// Ciphertext to be sent; valid until the next call.
  std::string_view pending_output() const { return std::string_view{output_}.substr(output_sent_); }

  /// The first `bytes` of it were sent.
  void sent(size_t bytes);

  tls_state state() const noexcept { return state_; }

  /// Valid once the state has been `open`.
  const tls_info& info() const noexcept { return info_; }

  /// Why the session failed, for logs; for example "no shared cipher".
  const std::string& failure() const noexcept { return failure_; }

private:
  struct ssl_deleter {
    void operator()(ssl_st* ssl) const;
  };

  struct bio;

  void attach();
  void shake_hands();
  void read_plaintext(std::string& plaintext);
  void learn();
  void fail();

  std::shared_ptr<const tls_context> server_;
  std::shared_ptr<const tls_client_context> client_;
  std::unique_ptr<ssl_st, ssl_deleter> ssl_;
  std::string_view input_; // what receive() was given and OpenSSL has not read
  std::string output_;
  size_t output_sent_ = 0;
  tls_state state_ = tls_state::handshaking;
  bool finished_ = false; // close_notify was sent
  tls_info info_;
  std::string failure_;
};

} // namespace caf_app
