// Names and groups, of one node and of the cluster. The table is plain shared data: it survives the
// death of any actor, is read from any thread without a message, and lets go of an actor however
// that ends, by one functor attached to it. Events for subscribers are sent while the change is
// made, so that they arrive in the order of the changes, after a snapshot, without a gap.
//
// A name has a scope. Names of the node are given at once and known here only. Names of the cluster
// are granted by its coordinator and found on every node, as are members of groups; without a
// cluster they are names of the node. Where both exist, the node's name is found.
//
// The registry holds who has a name, is a member or subscribes by a strong reference: such an actor
// lives until it quits or is stopped, even if nobody else knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include "caf_app/messages/registry.hpp"
#include "caf_app/registry/cluster_port.hpp"
#include "caf_app/registry/group_table.hpp"
#include "caf_app/registry/name_table.hpp"

namespace caf_app {

/// Thread safe; always held by shared_ptr. Handles are those of any actor, local or remote, typed
/// or not; null ones count as dead.
class registry : public std::enable_shared_from_this<registry> {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// An empty one, of a node without a cluster until connect().
  static std::shared_ptr<registry> make();

  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;

  // -- names --------------------------------------------------------------------

  /// Gives `name` to `holder` until that ends or the name is unregistered. An actor may hold
  /// several names. Registering the same pair again changes nothing.
  /// @returns name_taken, noproc (the holder has ended), or invalid_argument (why_invalid_name)
  template <class Handle>
  caf::expected<void> register_name(std::string_view name, const Handle& holder) {
    return add_name(name, caf::actor_cast<caf::strong_actor_ptr>(holder));
  }

  /// Wants `name` for `holder`, an actor of this node, in the whole cluster. Once `done` is called
  /// without an error, where_is() finds it here; on other nodes it does a moment later. It is free
  /// again when the holder ends, or its node leaves or is lost. A holder that loses the name while
  /// it lives is told with name_lost.
  /// @param done gets name_taken, no_quorum, noproc or invalid_argument; on any thread, at once or
  /// later, and must not block
  template <class Handle>
  void claim_name(std::string_view name, const Handle& holder, claim_mode mode, claim_result done) {
    add_claim(name, caf::actor_cast<caf::strong_actor_ptr>(holder), mode, std::move(done));
  }

  /// Frees a name of this node, whatever its scope.
  /// @returns whether it was held
  bool unregister_name(std::string_view name);

  /// @returns the holder of `name`, on this node or another, null if there is none. Costs no
  /// message and no system call.
  caf::actor where_is(std::string_view name) const {
    return caf::actor_cast<caf::actor>(names_.find(name));
  }

  /// @param now of the clock of the actors' system
  /// @returns names that begin with `prefix`, sorted
  std::vector<name_info> names(std::string_view prefix, time_point now) const;

  /// Whether nobody holds `name`, but a holder of it was there a moment ago
  /// (limits::registry::name_moves_for): it is probably on its way to another node.
  bool moves(std::string_view name, time_point now) const;

  // -- groups -------------------------------------------------------------------

  /// Makes `member` a member; once is enough, twice changes nothing.
  /// @returns noproc or invalid_argument
  template <class Handle>
  caf::expected<void> join(std::string_view group, const Handle& member) {
    return add_member(group, caf::actor_cast<caf::strong_actor_ptr>(member));
  }

  /// @returns whether `member` was one
  template <class Handle>
  bool leave(std::string_view group, const Handle& member) {
    return remove_member(group, caf::actor_cast<caf::strong_actor_ptr>(member));
  }

  /// Sends one message, shared and not copied, to all members, and one frame to each other node
  /// that has some. It has no sender: nothing that a member answers, and no member without a
  /// handler, reaches the publisher.
  /// @param unit of the publishing actor: `self->context()`; null elsewhere
  publish_count publish(std::string_view group, const caf::message& content,
                        caf::execution_unit* unit = nullptr);

  /// The same, on this node only.
  /// @returns how many members were addressed
  size_t publish_here(std::string_view group, const caf::message& content,
                      caf::execution_unit* unit = nullptr);

  /// @returns the members of `group` on this node, in no order
  std::vector<caf::actor> members(std::string_view group) const;

  /// @returns groups that begin with `prefix`, sorted
  std::vector<group_info> groups(std::string_view prefix) const;

  // -- events -------------------------------------------------------------------

  /// Sends `who` a name_event for each name there is (present), one that says so (synced), and one
  /// per change from then on. Subscribing again repeats the snapshot.
  /// @param only this name, whoever holds it; empty: all
  /// @returns noproc if `who` has ended
  template <class Handle>
  caf::expected<void> subscribe_names(const Handle& who, std::string_view only = {}) {
    return subscribe(caf::actor_cast<caf::strong_actor_ptr>(who), topic::names, only);
  }

  /// Like subscribe_names, with group_event.
  /// @param only this group; empty: all
  template <class Handle>
  caf::expected<void> subscribe_groups(const Handle& who, std::string_view only = {}) {
    return subscribe(caf::actor_cast<caf::strong_actor_ptr>(who), topic::groups, only);
  }

  /// Ends the subscription with the same `only`. Events that are queued already still arrive.
  template <class Handle>
  void unsubscribe_names(const Handle& who, std::string_view only = {}) {
    unsubscribe(caf::actor_cast<caf::strong_actor_ptr>(who), topic::names, only);
  }

  /// Like unsubscribe_names.
  template <class Handle>
  void unsubscribe_groups(const Handle& who, std::string_view only = {}) {
    unsubscribe(caf::actor_cast<caf::strong_actor_ptr>(who), topic::groups, only);
  }

  // -- the cluster's side ---------------------------------------------------------

  /// Before any actor uses the registry.
  void connect(std::shared_ptr<cluster_port> cluster) { cluster_ = std::move(cluster); }

  /// From now on `name` is held by `holder` of `node`. A handle of another holder is replaced.
  void cluster_name_held(const std::string& name, const caf::strong_actor_ptr& holder,
                         const std::string& node, uint64_t epoch, time_point now);
  /// From now on nobody holds `name`, as far as the cluster knows.
  void cluster_name_free(const std::string& name, time_point now);

  /// The claim of `holder` has ended while it lives, and will not be repeated.
  void forget_claim(const std::string& name, const caf::actor_addr& holder);

  /// A member of another node joined.
  void remote_member(const std::string& group, const std::string& node,
                     const caf::strong_actor_ptr& member);
  /// A member of another node left or ended, or its node was given up. Another life of that node
  /// may have a member with the same number already: hence the handle.
  void remote_member_gone(const std::string& group, const std::string& node,
                          const caf::strong_actor_ptr& member);

private:
  enum class topic { names, groups };
  using actor_key = const caf::actor_control_block*;

  /// What an actor has here. Exists from its first call until its end, because a functor that was
  /// attached to an actor cannot be detached again.
  struct holdings {
    caf::actor_addr who; // keeps the key unique
    std::vector<std::string> names;
    std::vector<std::string> claims; // names of the cluster, granted or wanted
    std::vector<std::string> groups;
    bool subscribes = false;
  };

  struct remote_name {
    std::string node;
    uint64_t epoch = 0;
    time_point since;
  };

  using remote_members =
      std::map<std::string, std::map<std::string, std::set<caf::strong_actor_ptr>>>;

  struct subscription {
    caf::strong_actor_ptr who;
    std::string only; // empty: all
  };

  registry() = default;

  caf::expected<void> add_name(std::string_view name, caf::strong_actor_ptr holder);
  bool drop_name(std::string_view name, const caf::strong_actor_ptr& holder); // under mutex_
  void add_claim(std::string_view name, caf::strong_actor_ptr holder, claim_mode mode,
                 claim_result done);
  bool release_claim(std::string_view name);
  void add_remote(std::vector<group_info>& list, std::string_view prefix) const;
  caf::expected<void> add_member(std::string_view group, caf::strong_actor_ptr member);
  bool remove_member(std::string_view group, const caf::strong_actor_ptr& member);
  caf::expected<void> subscribe(caf::strong_actor_ptr who, topic about, std::string_view only);
  void unsubscribe(const caf::strong_actor_ptr& who, topic about, std::string_view only);

  caf::expected<void> change_for(const caf::strong_actor_ptr& actor,
                                 const std::function<caf::error(holdings&)>& change);
  void on_end(actor_key actor);
  void drop(const holdings& held, const caf::strong_actor_ptr& who);

  std::vector<subscription>& subscriptions(topic about);
  void drop_subscriptions(std::vector<subscription>& from, actor_key actor);
  void tell(topic about, const std::string& name, const caf::strong_actor_ptr& who,
            registry_change change);
  void send_snapshot(const subscription& to, topic about);
  void send_remote_snapshot(const subscription& to);

  name_table names_;                      // has its own locks; changed under mutex_ only
  std::shared_ptr<cluster_port> cluster_; // null: none

  mutable std::mutex mutex_; // guards everything below
  group_table groups_;
  std::unordered_map<actor_key, holdings> holdings_;
  std::unordered_map<std::string, remote_name> cluster_facts_; // of names of the cluster
  std::map<std::string, caf::actor_addr> claimants_;           // of this node
  remote_members remote_;                                      // by group and node
  std::unordered_map<std::string, time_point> freed_;          // cluster names, lately
  std::vector<subscription> name_subscriptions_;
  std::vector<subscription> group_subscriptions_;
};

} // namespace caf_app
