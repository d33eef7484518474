// Who belongs to the cluster, who coordinates it, and whether this node may act: the decisions, on
// top of member_table (what is known), peer_health (whom we can reach) and quorum_lease (who can
// hear us). It knows neither sockets nor clocks; effects are collected and taken by its owner.
//
// The coordinator is the oldest member that is up and that a majority can reach. Every node
// supports at most one, and tells so in its heartbeats; whoever is supported by a majority is
// active. Only the active coordinator writes `up` and `down` into the table, so there is one author
// at a time. Without quorum everyone decides for what it can reach, and nobody is declared down
// except by a later life of the same node.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/cluster/link_body.hpp"
#include "caf_app/cluster/member_table.hpp"
#include "caf_app/cluster/peer_health.hpp"
#include "caf_app/cluster/quorum_lease.hpp"

namespace caf_app {

/// What an event tells.
enum class member_change : uint8_t {
  joined,        ///< heard of for the first time
  up,            ///< has a place in the order
  suspect,       ///< silent, or its link broke
  reachable,     ///< suspect or lost no more
  lost,          ///< given up by this node: whoever watches something there is told
  leaving,       ///< announced
  left,          ///< announced, gone
  down,          ///< declared by the coordinator
  declared_down, ///< this node itself: end this life, begin another
};

/// The name of the enumerator.
std::string to_string(member_change change);

/// A change, as this node sees it.
struct member_event {
  member_id member;
  member_change change;
};

/// What the owner of a membership has to do, in this order.
struct membership_effects {
  std::vector<std::pair<member_id, gossip_body>> gossip;
  std::vector<std::pair<member_id, heartbeat_body>> heartbeats;
  std::vector<member_id> cut; ///< links to close
  std::vector<member_event> events;
};

/// The cluster as one life of a node sees it. `now` never runs backwards.
class membership {
public:
  using clock = std::chrono::steady_clock;

  /// Who this node is, who votes, and how patient it is.
  struct options {
    member_record own; ///< state and order do not matter
    std::vector<std::string> voters;
    quorum_mode mode = quorum_mode::majority;
    clock::duration heartbeat = limits::cluster::heartbeat;
    clock::duration lease = limits::cluster::lease;
    peer_health::options health;
  };

  /// This node is alone, joining, until it is counted in.
  membership(options opts, clock::time_point now);

  // -- what happens -------------------------------------------------------------

  /// Whether a peer that has proved itself may have a link.
  refused_body admit(const member_id& peer, clock::time_point now);

  /// A link to `peer` is established; an older one to the same peer is gone.
  void link_up(const member_record& peer, clock::time_point now);
  /// The link to `peer` has ended; its grace begins.
  void link_down(const member_id& peer, clock::time_point now);
  /// A body from a linked peer.
  void on_heartbeat(const member_id& from, const heartbeat_body& beat, clock::time_point now);
  void on_gossip(const member_id& from, const gossip_body& gossip, clock::time_point now);

  /// A peer has refused a link because it knows that this node was declared down.
  void told_down(clock::time_point now);

  /// Announces that this node leaves: it coordinates no more. Then, when its work has ended,
  /// left().
  void leave(clock::time_point now);
  void left(clock::time_point now);

  /// To be called often, for example every 100 ms.
  void tick(clock::time_point now);

  /// What there is to do since the last call.
  membership_effects take_effects() { return std::exchange(effects_, {}); }

  // -- what is known --------------------------------------------------------------

  const member_table& table() const noexcept { return table_; }
  const member_id& own() const noexcept { return opts_.own.id; }
  quorum_mode mode() const noexcept { return lease_.mode(); }

  /// Whom this node takes for the coordinator; an empty name: nobody.
  const member_id& supports() const noexcept { return supports_; }

  /// Whether this node is the coordinator and may act as such at `now`.
  bool active(clock::time_point now) const;

  /// Whether a majority can hear this node at `now`.
  bool quorate(clock::time_point now) const { return lease_.quorate(now); }

  /// Peers with a link.
  std::vector<member_id> linked() const;
  bool linked_to(const member_id& peer) const;

  /// Whether `peer` is silent, or its link broke a moment ago.
  bool suspected(const member_id& peer) const;

  /// Whether this node has given `peer` up. Members that are gone are lost.
  bool lost(const member_id& peer) const;

  /// Whether `peer`, or this node itself, has acknowledged a heartbeat of the last lease.
  bool heard_by(const member_id& peer, clock::time_point now) const {
    return peer == own() || mode() == quorum_mode::none || lease_.heard_by(peer, now);
  }

  /// Whether a majority has told that it knew the table as of `version`.
  bool known_by_majority(uint64_t version) const;

  /// The life of this node is over: it was declared down, or it has left.
  bool ended() const noexcept { return ended_; }

private:
  struct peer {
    peer_health health;
    peer_verdict verdict = peer_verdict::suspect;
    bool lost_alone = false;    // while we had no quorum: it may be us who was cut off
    uint64_t heard = 0;         // sequence of its last heartbeat on this link
    uint64_t knows_version = 0; // of our table
  };

  peer& peer_of(const member_id& id, clock::time_point now);
  void learn(const member_record& record, clock::time_point now);
  bool outlived(const member_record& record) const;
  void on_state(const member_record& record);
  void check_peers(clock::time_point now);
  void choose(clock::time_point now);
  member_id preferred(clock::time_point now) const;
  void coordinate(clock::time_point now);
  bool certainly_lost(const member_id& id, clock::time_point now) const;
  bool end_former_lives(const member_id& id, clock::time_point now);
  void promote(const member_id& id, clock::time_point now);
  void write(const member_id& id, member_state state, uint64_t order, clock::time_point now);
  void beat(clock::time_point now);
  void spread();
  const member_record& own_record() const;

  options opts_;
  member_table table_;
  quorum_lease lease_;
  std::map<member_id, peer> peers_; // all that are not gone, without ourselves
  member_id supports_;
  clock::time_point locked_until_; // until then no other may be supported
  clock::time_point next_beat_;
  clock::time_point alone_at_; // when this node had no quorum last
  uint64_t sequence_ = 0;
  uint64_t spread_version_ = 0;
  bool ended_ = false;
  membership_effects effects_;
};

} // namespace caf_app
