// Groups across nodes. Each node owns the membership of its own actors and tells all others: all of
// it when a link comes up, then what changes. What a node has told is dropped when it is lost. So
// there is nothing to agree on, and a publisher needs to know only which nodes have members.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <caf/meta/type_name.hpp>

#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// What a groups frame says. Numbers are part of the protocol.
enum class group_op : uint8_t {
  sync = 1, ///< all of the sender's members, replacing what was told before
  join,
  leave,
};

/// The body of a groups frame: for each group, actors of the sender's node.
struct groups_body {
  group_op op = group_op::sync;
  std::vector<std::pair<std::string, std::vector<uint64_t>>> groups;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, groups_body& x) {
  return f(x.op, x.groups);
}

/// A member that came or went; the node is ours for local ones.
struct group_change {
  std::string group;
  member_id node;
  uint64_t actor = 0;
  bool joined = false;

  bool operator==(const group_change&) const = default;
};

/// Whom a publication goes to.
struct publish_plan {
  std::vector<uint64_t> local;  ///< actors of this node
  std::vector<member_id> nodes; ///< one frame each
};

/// The groups that one node knows. Actors are its own unless a node is named.
class cluster_groups {
public:
  /// @param own this life of this node
  explicit cluster_groups(member_id own) : own_(std::move(own)) {}

  /// A member is in a group once: joining again changes nothing.
  void join(const std::string& group, uint64_t actor);
  /// The actor is no member any more; if it was none, nothing changes.
  void leave(const std::string& group, uint64_t actor);
  /// Takes a dead actor out of all groups.
  void forget(uint64_t actor);

  /// A link has come up: the peer is told of all members here.
  void link_up(const member_id& peer);
  void link_down(const member_id& peer) { linked_.erase(peer); }
  /// Drops the members of a node that was given up.
  void lost(const member_id& peer);
  /// A body from `from`, which owns what it tells.
  void on_groups(const member_id& from, const groups_body& body);

  /// Whom a publication to `group` goes to now.
  publish_plan plan(const std::string& group) const;

  /// All members, for a subscription: changes that are taken later follow it without a gap.
  std::vector<group_change> snapshot() const;

  /// How many members are known, of all nodes.
  size_t size() const;

  /// Bodies to send since the last call, in their order.
  std::vector<std::pair<member_id, groups_body>> take_messages() {
    return std::exchange(messages_, {});
  }
  /// What has changed since the last call, own members included.
  std::vector<group_change> take_changes() { return std::exchange(changes_, {}); }

private:
  using groups = std::map<std::string, std::set<uint64_t>>;

  bool insert(const member_id& node, const std::string& group, uint64_t actor);
  bool erase(const member_id& node, const std::string& group, uint64_t actor);
  void replace(const member_id& node, const groups_body& body);
  void tell(group_op op, const std::string& group, uint64_t actor);

  member_id own_;
  std::map<member_id, groups> by_node_;
  std::set<member_id> linked_;
  std::vector<std::pair<member_id, groups_body>> messages_;
  std::vector<group_change> changes_;
};

} // namespace caf_app
