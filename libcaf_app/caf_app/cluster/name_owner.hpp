// The names that actors of this node hold or want, and this node's replica of all cluster names:
// the member's side of cluster names. The other side is name_coordinator.
//
//   (none) --want--> wanted --changed--> held --lost, given up--> (none)
//                       |--denied--> (none)
//
// A grant counts only if it comes from the coordinator that this node supports, and in the term in
// which this node has told what it holds. So whatever an earlier coordinator has sent is void. And
// it counts only if this node has a quorum and has heard from the coordinator within a lease: a
// grant that was under way for longer may be void, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/membership.hpp"
#include "caf_app/cluster/name_messages.hpp"

namespace caf_app {

/// The end of a want, or of a hold.
struct name_outcome {
  /// What has come of it.
  enum class kind : uint8_t { granted, refused, lost };
  std::string name;
  uint64_t actor = 0;
  kind what = kind::granted;
  errc why{};       ///< name_taken, no_quorum; unset when granted
  member_id winner; ///< who holds it now, if that is the reason
};

/// A change of the replica.
struct name_replica_change {
  name_entry entry; ///< the new holder; for a free name the last one
  bool free = false;
};

/// What the owner has to do, in this order.
struct name_owner_effects {
  std::vector<std::pair<member_id, names_body>> messages; ///< to the coordinator
  std::vector<name_outcome> outcomes;
  std::vector<name_replica_change> changes;
};

/// The names that actors of this node want and hold, and the replica of all.
class name_owner {
public:
  using clock = membership::clock;

  /// Who this node is, and how long it keeps its names without quorum.
  struct options {
    member_id own;
    clock::duration stable_after = limits::cluster::stable_after;
  };

  name_owner(options opts, clock::time_point now) : opts_(std::move(opts)), quorate_at_(now) {}

  /// An actor of this node wants `name`. The answer is an outcome.
  void want(const std::string& name, uint64_t actor, const membership& members,
            clock::time_point now);

  /// The actor does not hold or want `name` any more, or is dead.
  void release(const std::string& name, uint64_t actor);

  /// A body from `from`.
  void on_names(const member_id& from, const names_body& body, const membership& members,
                clock::time_point now);

  /// After every change of the membership, and often.
  void step(const membership& members, clock::time_point now);

  /// The holder of `name` as far as this node knows, else nullptr.
  const name_entry* find(const std::string& name) const;

  /// Whether an actor of this node holds `name`.
  bool holds(const std::string& name) const;

  /// Names that this node holds.
  std::vector<name_entry> held() const;

  /// Names in the replica.
  size_t size() const noexcept { return replica_.size(); }
  const std::unordered_map<std::string, name_entry>& replica() const noexcept { return replica_; }

  name_owner_effects take_effects() { return std::exchange(effects_, {}); }

private:
  struct claim {
    uint64_t actor = 0;
    uint64_t number = 0;
    uint64_t epoch = 0; // 0: wanted
  };

  void answer_sync(const member_id& from, uint64_t token);
  void on_changed(const name_entry& entry);
  void on_removed(const name_entry& entry);
  void on_table(const std::vector<name_entry>& entries);
  void on_denied(const name_entry& winner, const name_entry& claimed);
  void on_lost(const name_entry& winner, const name_entry& claimed);
  void follow(const member_id& supported);
  void claim_again(clock::time_point now);
  void give_up(errc why);
  void finish(const std::string& name, name_outcome::kind what, errc why, const member_id& winner);
  void put(const name_entry& entry);
  void erase(const std::string& name);
  void tell(name_op op, name_entry entry);
  name_entry entry_of(const std::string& name, const claim& own) const;
  void drop_gone(const membership& members);

  options opts_;
  std::map<std::string, claim> own_;
  std::unordered_map<std::string, name_entry> replica_;
  member_id synced_with_; // the coordinator that has our claims
  uint64_t token_ = 0;    // of its term
  member_id left_;        // the coordinator that had our claims before
  uint64_t left_token_ = 0;
  std::set<member_id> out_of_reach_; // without quorum: holders whose names were dropped here
  uint64_t members_version_ = 0;
  uint64_t claims_ = 0; // number of the last claim
  bool fresh_ = false;  // whether a grant that arrives now can be trusted
  clock::time_point quorate_at_;
  clock::time_point claimed_at_;
  name_owner_effects effects_;
};

} // namespace caf_app
