// Watching the end of other actors, with references of our own. CAF's monitors can neither be told
// apart nor taken back once their down_msg is queued, so there is one of them per pair of actors,
// and every watch is an entry of a table that its down_msg is checked against.
#pragma once

#include <utility>

#include <caf/all.hpp>

#include "caf_app/registry/liveness.hpp"
#include "caf_app/registry/watch_table.hpp"

namespace caf_app {

/// Part of asking<Base>; use that.
/// @tparam Base an event-based actor, dynamically or statically typed
template <class Base>
class watching : public Base {
public:
  /// @param xs go to `Base`
  template <class... Ts>
  explicit watching(caf::actor_config& cfg, Ts&&... xs) : Base(cfg, std::forward<Ts>(xs)...) {}

  /// Watches `target`: its end arrives exactly once, as a message `down{ref, reason}` to the
  /// current behavior. A target that has ended already is reported at once, with noproc (or
  /// link_lost). Watches of the same target are independent, each with its own reference.
  /// @param target any handle; may be null
  /// @returns the reference
  template <class Handle>
  uint64_t watch(const Handle& target) {
    return add_watch(actor_behind(target), nullptr);
  }

  /// Like watch(target), but calls `on_down` instead of the behavior.
  /// @param on_down takes `const down&`; runs in this actor
  template <class Handle, class F>
  uint64_t watch(const Handle& target, F on_down) {
    return add_watch(actor_behind(target), std::move(on_down));
  }

  /// Takes a watch back: once this returns, nothing arrives for it, not even what is queued
  /// already. An unknown reference is fine.
  void unwatch(uint64_t ref) {
    const auto entry = watches_.take(ref);
    if (entry && entry->target && !watches_.has_target(entry->target))
      stop_monitoring(entry->target);
  }

  /// @returns the watches that this actor holds
  size_t watch_count() const { return watches_.size(); }

  using Base::consume;

  caf::invoke_message_result consume(caf::mailbox_element& x) override {
    if (!watches_.empty() && x.content().type_token() == caf::make_type_token<caf::down_msg>() &&
        on_down_msg(x))
      return caf::invoke_message_result::consumed;
    if (late_watches_ != 0 && x.sender == this && x.content().template match_elements<down>()) {
      on_late_watch(x);
      return caf::invoke_message_result::consumed;
    }
    return Base::consume(x);
  }

  bool cleanup(caf::error&& reason, caf::execution_unit* host) override {
    watches_.clear();
    monitored_.clear();
    return Base::cleanup(std::move(reason), host);
  }

private:
  uint64_t add_watch(caf::abstract_actor* target, watch_table::handler on_down) {
    if (!target || has_ended(*target)) { // no key: an actor yet to come may get the same address
      const auto ref = watches_.add(nullptr, std::move(on_down));
      ++late_watches_;
      this->eq_impl(caf::make_message_id(), this->ctrl(), this->context(),
                    down{ref, why_unusable(target)});
      return ref;
    }
    const auto* key = target->ctrl();
    const bool is_first = !watches_.has_target(key);
    const auto ref = watches_.add(key, std::move(on_down));
    if (is_first && target != this) {
      monitored_.emplace(key, target->address());
      this->caf::local_actor::monitor(target, caf::message_priority::normal);
    }
    return ref;
  }

  void stop_monitoring(watch_table::target_key target) {
    const auto found = monitored_.find(target);
    if (found == monitored_.end())
      return;
    this->demonitor(found->second);
    monitored_.erase(found);
  }

  // The target of a monitor ended.
  bool on_down_msg(caf::mailbox_element& x) {
    const auto& message = x.content().template get_as<caf::down_msg>(0);
    const auto* key = caf::actor_cast<caf::actor_control_block*>(message.source);
    if (!watches_.has_target(key))
      return false;
    const auto reason = watch_reason(message.reason);
    monitored_.erase(key);
    while (auto entry = watches_.take_oldest(key)) {
      deliver(std::move(*entry), reason, x);
      if (this->getf(caf::abstract_actor::is_shutting_down_flag))
        break;
    }
    return true;
  }

  // A watch was set on a target that had ended.
  void on_late_watch(caf::mailbox_element& x) {
    --late_watches_;
    const auto& message = x.content().template get_as<down>(0);
    if (auto entry = watches_.take(message.ref)) {
      const auto reason = message.reason;
      deliver(std::move(*entry), reason, x);
    }
  }

  void deliver(watch_table::entry entry, const caf::error& reason, caf::mailbox_element& cause) {
    this->current_element_ = &cause;
    if (entry.on_down) {
      entry.on_down(down{entry.ref, reason});
      return;
    }
    auto element = caf::make_mailbox_element(cause.sender, caf::make_message_id(), {},
                                             down{entry.ref, reason});
    Base::consume(*element);
    this->current_element_ = &cause;
  }

  watch_table watches_;
  size_t late_watches_ = 0; // messages to itself about targets that had ended
  // Keeps the keys of the table unique: an address holds on to the control block of its actor.
  std::unordered_map<watch_table::target_key, caf::actor_addr> monitored_;
};

} // namespace caf_app
