// The bodies of frames that a link itself understands. Those of gossip, names and groups are in
// member_record.hpp, name_messages.hpp and group_messages.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <caf/meta/type_name.hpp>

#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// The first four bytes of a hello: "CAFL". They and the versions never move.
inline constexpr uint32_t link_magic = 0x4341464c;
inline constexpr uint16_t link_version_min = 1; ///< oldest version that we speak
inline constexpr uint16_t link_version_max = 1;

using link_nonce = std::array<uint8_t, 32>;
using link_proof = std::array<uint8_t, 32>;

/// The first frame of either side.
struct hello_body {
  uint32_t magic = link_magic;
  uint16_t version_min = link_version_min;
  uint16_t version_max = link_version_max;
  std::string cluster;
  member_id node;
  std::string address; ///< where the node listens for links: "host:port"
  std::vector<std::string> roles;
  std::string caf_node;         ///< CAF's node id as text
  uint64_t type_digest = 0;     ///< of the registered message types
  uint32_t frame_bytes_max = 0; ///< longest body that the sender of this hello accepts
  uint8_t proves_secret = 0;    ///< 1: an auth frame follows; 0: certificates have proved the peer
  link_nonce nonce{};
};

/// Proof of the secret: HMAC-SHA256 over both hellos.
struct auth_body {
  link_proof proof{};
};

/// Why a peer ends a link. Numbers are part of the protocol.
enum class refusal : uint8_t {
  none = 0,
  protocol_error = 1,  ///< bytes or frames that do not belong there
  version = 2,         ///< no common version
  cluster_name = 3,    ///< another cluster
  types = 4,           ///< other message types: another build
  authentication = 5,  ///< wrong secret, wrong certificate, or one side wants none
  name_in_use = 6,     ///< a living node has that name
  node_id_in_use = 7,  ///< the same CAF node id, or the node itself
  wrong_peer = 8,      ///< not the node that was dialled
  wrong_direction = 9, ///< the smaller name dials, and who listens nowhere
  declared_down = 10,  ///< that incarnation was declared down: come back as another
  duplicate = 11,      ///< there is a link already
  timeout = 12,        ///< the handshake took too long
  leaving = 13,        ///< the refusing node is on its way out
};

/// A sentence for logs.
std::string to_string(refusal why);

/// Why a link ends, for a program and for people.
struct refused_body {
  refusal why = refusal::none;
  std::string text;
};

/// Each node sends one per interval to each peer.
struct heartbeat_body {
  uint64_t sequence = 0;       ///< of this heartbeat, from 1
  uint64_t acknowledged = 0;   ///< sequence of the peer's last heartbeat, 0 if its lease is refused
  uint64_t members_digest = 0; ///< of the sender's table of members
  member_id supports;          ///< whom the sender takes for the coordinator; empty: nobody
};

/// The receiver and the sender of a message by their actor ids.
struct message_head {
  uint64_t receiver = 0;
  uint64_t sender = 0;      ///< 0: anonymous
  uint64_t message_id = 0;  ///< CAF's, with category, priority and flags
  uint32_t deadline_ms = 0; ///< time left for the answer; 0: unknown
};

/// To all members of a group on the receiving node.
struct publish_head {
  std::string group;
  uint64_t sender = 0;
};

/// An actor of the receiver (monitor, demonitor).
struct actor_body {
  uint64_t actor = 0;
};

/// An error of CAF: its code and category, its context as text.
struct wire_error {
  uint8_t code = 0;
  uint64_t category = 0;
  std::string text;

  bool operator==(const wire_error&) const = default;
};

/// With a monitor frame of link_flag: `source`, an actor of the sender, is linked to `actor`, so
/// that the end of one ends the other.
struct link_body {
  uint64_t actor = 0;
  uint64_t source = 0;
};

/// `actor`, of the sender, has ended.
struct down_body {
  uint64_t actor = 0;
  wire_error reason;
};

/// A request of `receiver` could not be delivered.
struct error_reply_body {
  uint64_t receiver = 0;   ///< who had asked
  uint64_t message_id = 0; ///< of the response
  wire_error reason;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, hello_body& x) {
  return f(x.magic, x.version_min, x.version_max, x.cluster, x.node, x.address, x.roles, x.caf_node,
           x.type_digest, x.frame_bytes_max, x.proves_secret, x.nonce);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, auth_body& x) {
  return f(x.proof);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, refused_body& x) {
  return f(x.why, x.text);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, heartbeat_body& x) {
  return f(x.sequence, x.acknowledged, x.members_digest, x.supports);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, message_head& x) {
  return f(x.receiver, x.sender, x.message_id, x.deadline_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, publish_head& x) {
  return f(x.group, x.sender);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, actor_body& x) {
  return f(x.actor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, link_body& x) {
  return f(x.actor, x.source);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, wire_error& x) {
  return f(x.code, x.category, x.text);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, down_body& x) {
  return f(x.actor, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, error_reply_body& x) {
  return f(x.receiver, x.message_id, x.reason);
}

} // namespace caf_app
