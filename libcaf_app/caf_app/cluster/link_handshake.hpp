// The beginning of a link, before any other frame: both sides say who they are, both prove that
// they know the secret of the cluster, and both agree that there should be a link. Bytes in, bytes
// and a verdict out; sockets and deadlines are the link's.
//
//   dialler                                listener
//     greeting --hello-->                    greeting
//     greeting        <--hello--             proving
//     proving  --auth-->                     proving (checks, then asks `admit`)
//     proving         <--auth--              established
//     established (checked, `admit` asked)
//
// Either side may send `refused` instead, and ends. After `established` a `refused` may still come
// from the other side; that is up to the link.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caf_app/base/limits.hpp"
#include "caf_app/cluster/frame_reader.hpp"
#include "caf_app/cluster/link_body.hpp"

namespace caf_app {

/// Which side of the connection we are.
enum class link_role : uint8_t { dialler, listener };

/// Whether a peer that has proved itself may have a link: refusal::none if so. The text is for
/// both logs.
using admission = std::function<refused_body(const hello_body& peer)>;

/// What one handshake goes by.
struct handshake_options {
  link_role role = link_role::dialler;
  hello_body own;     ///< magic, versions, proves_secret and so on included; the nonce is fresh
  std::string secret; ///< used if own.proves_secret
  std::string expected_peer; ///< name of the node that was dialled; empty: any
  /// Names in the peer's certificate; unset without TLS.
  std::optional<std::vector<std::string>> certified_names;
  /// Nodes of the file. Who is none of them may be an instance, `b.2`: it shows the certificate of
  /// its node.
  std::vector<std::string> listed;
  admission admit;
};

/// The handshake of one connection.
class link_handshake {
public:
  /// How far it is; see the diagram.
  enum class state : uint8_t { greeting, proving, established, refused };

  /// The dialler begins with start(), the listener with feed().
  explicit link_handshake(handshake_options opts);

  /// Takes bytes from the peer. What follows the handshake stays in the reader.
  /// @returns bytes for the peer, to be sent also if the state is `refused`
  std::string feed(std::string_view bytes);

  /// The dialler's first bytes; nothing for the listener.
  std::string start();

  /// The deadline has passed.
  std::string expire() { return refuse(refusal::timeout, "no handshake in time"); }

  state current() const noexcept { return state_; }

  /// Why the state is `refused`, by us or by the peer.
  const refused_body& reason() const noexcept { return reason_; }

  /// Whether the peer has refused, not we.
  bool refused_by_peer() const noexcept { return refused_by_peer_; }

  /// The peer's hello. @pre proving or established
  const hello_body& peer() const noexcept { return peer_; }

  /// The version both speak. @pre established
  uint16_t version() const noexcept;

  /// Hands over the bytes that follow, with the limit of established links. @pre established
  frame_reader take_reader();

private:
  void on_frame(const frame_view& frame, std::string& out);
  void on_hello(std::string_view body, std::string& out);
  void on_auth(std::string_view body, std::string& out);
  void finish(std::string& out);
  refused_body check_hello() const;
  refused_body check_certificate() const;
  std::string refuse(refusal why, std::string text);
  void append_auth(std::string& out) const;
  link_proof proof_of(link_role prover) const;

  handshake_options opts_;
  state state_ = state::greeting;
  frame_reader reader_{limits::cluster::handshake_bytes_max};
  std::string own_hello_; // bodies as they were sent: the proofs cover them
  std::string peer_hello_;
  hello_body peer_;
  refused_body reason_;
  bool refused_by_peer_ = false;
};

} // namespace caf_app
