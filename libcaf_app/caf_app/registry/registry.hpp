// Names and groups of one node. The table is plain shared data: it survives the death of any actor,
// is read from any thread without a message, and lets go of an actor however that ends, by one
// functor attached to it. Events for subscribers are sent while the change is made, so that they
// arrive in the order of the changes, after a snapshot, without a gap.
//
// The registry holds who has a name, is a member or subscribes by a strong reference: such an actor
// lives until it quits or is stopped, even if nobody else knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
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
#include "caf_app/registry/group_table.hpp"
#include "caf_app/registry/name_table.hpp"

namespace caf_app {

/// Thread safe; always held by shared_ptr. Handles are those of any actor, local or remote, typed
/// or not; null ones count as dead.
class registry : public std::enable_shared_from_this<registry> {
public:
  using time_point = std::chrono::steady_clock::time_point;

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

  /// Frees a name.
  /// @returns whether it was held
  bool unregister_name(std::string_view name);

  /// @returns the holder of `name`, null if there is none. Costs no message and no system call.
  caf::actor where_is(std::string_view name) const {
    return caf::actor_cast<caf::actor>(names_.find(name));
  }

  /// @param now of the clock of the actors' system
  /// @returns names that begin with `prefix`, sorted
  std::vector<name_info> names(std::string_view prefix, time_point now) const;

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

  /// Sends one message, shared and not copied, to all members. It has no sender: nothing that a
  /// member answers, and no member without a handler, reaches the publisher.
  /// @param unit of the publishing actor: `self->context()`; null elsewhere
  /// @returns how many members were addressed
  size_t publish(std::string_view group, const caf::message& content,
                 caf::execution_unit* unit = nullptr);

  /// @returns the members of `group`, in no order
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

private:
  enum class topic { names, groups };
  using actor_key = const caf::actor_control_block*;

  /// What an actor has here. Exists from its first call until its end, because a functor that was
  /// attached to an actor cannot be detached again.
  struct holdings {
    caf::actor_addr who; // keeps the key unique
    std::vector<std::string> names;
    std::vector<std::string> groups;
    bool subscribes = false;
  };

  struct subscription {
    caf::strong_actor_ptr who;
    std::string only; // empty: all
  };

  registry() = default;

  caf::expected<void> add_name(std::string_view name, caf::strong_actor_ptr holder);
  caf::expected<void> add_member(std::string_view group, caf::strong_actor_ptr member);
  bool remove_member(std::string_view group, const caf::strong_actor_ptr& member);
  caf::expected<void> subscribe(caf::strong_actor_ptr who, topic about, std::string_view only);
  void unsubscribe(const caf::strong_actor_ptr& who, topic about, std::string_view only);

  template <class Change>
  caf::expected<void> change_for(const caf::strong_actor_ptr& actor, Change change);
  void on_end(actor_key actor);

  std::vector<subscription>& subscriptions(topic about);
  void drop_subscriptions(std::vector<subscription>& from, actor_key actor);
  void tell(topic about, const std::string& name, const caf::strong_actor_ptr& who,
            registry_change change);
  void send_snapshot(const subscription& to, topic about);

  name_table names_; // has its own locks; changed under mutex_ only

  mutable std::mutex mutex_; // guards everything below
  group_table groups_;
  std::unordered_map<actor_key, holdings> holdings_;
  std::vector<subscription> name_subscriptions_;
  std::vector<subscription> group_subscriptions_;
};

} // namespace caf_app
