// Membership, names and groups of one node behind one door: frames and time in, frames and events
// out. Its owner has the links (or is a simulation) and does what the effects say, in their order.
// Watches and messages are not its business.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "caf_app/cluster/cluster_groups.hpp"
#include "caf_app/cluster/link_frame.hpp"
#include "caf_app/cluster/membership.hpp"
#include "caf_app/cluster/name_coordinator.hpp"
#include "caf_app/cluster/name_owner.hpp"

namespace caf_app {

/// A frame for the link to `to`.
struct cluster_frame {
  member_id to;
  frame_kind kind;
  std::string body;
};

/// What the owner has to do, in this order.
struct cluster_effects {
  std::vector<cluster_frame> frames;
  std::vector<member_id> cut; ///< links to close, after the frames were sent
  std::vector<member_event> members;
  std::vector<name_outcome> names;
  std::vector<name_replica_change> replica;
  std::vector<group_change> groups;
};

/// All of that for one life of a node. `now` never runs backwards.
class cluster_core {
public:
  using clock = membership::clock;

  /// Of the membership, and how long a node without quorum keeps its names.
  struct options {
    membership::options members;
    clock::duration stable_after = limits::cluster::stable_after;
  };

  /// This node is alone until a link comes up.
  cluster_core(const options& opts, clock::time_point now);

  // -- links --------------------------------------------------------------------

  /// Whether a peer that has proved itself may have a link; refusal::none if so.
  refused_body admit(const member_id& peer, clock::time_point now) {
    return members_.admit(peer, now);
  }
  /// A link to `peer` is established, or has ended.
  void link_up(const member_record& peer, clock::time_point now);
  void link_down(const member_id& peer, clock::time_point now);
  /// A peer refuses links with this life of the node.
  void told_down(clock::time_point now);

  /// A frame of kind heartbeat, gossip, names or groups.
  /// @returns false if the body cannot be read: cut the link
  bool on_frame(const member_id& from, frame_kind kind, std::string_view body,
                clock::time_point now);

  // -- actors of this node --------------------------------------------------------

  /// An actor wants a name; the answer is a name_outcome. Wanting again changes nothing.
  void want_name(const std::string& name, uint64_t actor, clock::time_point now);
  /// The actor wants or holds the name no more.
  void release_name(const std::string& name, uint64_t actor, clock::time_point now);
  /// A member is in a group once: joining again changes nothing.
  void join_group(const std::string& group, uint64_t actor);
  void leave_group(const std::string& group, uint64_t actor);
  /// Frees the names in `held` and all groups of a dead actor.
  void actor_ended(uint64_t actor, const std::vector<std::string>& held, clock::time_point now);

  // -- time -----------------------------------------------------------------------

  /// To be called often, for example every 100 ms.
  void tick(clock::time_point now);
  /// Gives up names and tells that the node leaves; then, at the very end, left().
  void leave(clock::time_point now);
  void left(clock::time_point now);

  /// What there is to do since the last call.
  cluster_effects take_effects();

  const membership& members() const noexcept { return members_; }
  const name_owner& names() const noexcept { return names_; }
  const name_coordinator& coordinator() const noexcept { return coordinator_; }
  const cluster_groups& groups() const noexcept { return groups_; }

private:
  void settle(clock::time_point now);
  void collect_members();
  bool pass_names(clock::time_point now);
  template <class Body>
  void send(const member_id& to, frame_kind kind, const Body& body);

  membership members_;
  name_owner names_;
  name_coordinator coordinator_;
  cluster_groups groups_;
  cluster_effects effects_;
};

} // namespace caf_app
