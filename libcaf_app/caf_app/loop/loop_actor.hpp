// An actor pinned to one event loop: its handlers run on the loop's thread, so the sockets that it
// owns need no locks. Mailbox, monitors, links and requests are CAF's. Why not CAF's brokers:
// adr/0001-loop-actors.md.
#pragma once

#include <utility>

#include <caf/all.hpp>

#include "caf_app/loop/event_loop.hpp"

namespace caf_app {

/// @tparam Base an event-based actor, dynamically or statically typed
template <class Base = caf::event_based_actor>
class loop_actor : public Base {
public:
  /// @param loop null makes it an ordinary scheduled actor, which deterministic tests want
  loop_actor(caf::actor_config& cfg, event_loop* loop) : Base(cfg), loop_(loop) {}

  /// The loop that this actor is pinned to, null if scheduled.
  event_loop* loop() const noexcept { return loop_; }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    Base::enqueue(std::move(element), unit_or(unit));
  }

  void enqueue(caf::strong_actor_ptr sender, caf::message_id id, caf::message content,
               caf::execution_unit* unit) override {
    Base::enqueue(caf::make_mailbox_element(std::move(sender), id, {}, std::move(content)),
                  unit_or(unit));
  }

  void launch(caf::execution_unit* unit, bool lazy, bool hide) override {
    Base::launch(unit_or(unit), lazy, hide);
  }

  caf::resumable::subtype_t subtype() const override {
    return loop_ ? caf::resumable::io_actor : caf::resumable::scheduled_actor;
  }

private:
  caf::execution_unit* unit_or(caf::execution_unit* unit) const noexcept {
    return loop_ ? loop_ : unit;
  }

  event_loop* loop_;
};

/// Spawns `T`, a loop_actor whose constructor takes the loop first, then `xs`. Any thread.
template <class T, class... Ts>
auto spawn_on(caf::actor_system& system, event_loop* loop, Ts&&... xs) {
  caf::actor_config cfg{loop};
  return system.spawn_class<T, caf::no_spawn_options>(cfg, loop, std::forward<Ts>(xs)...);
}

} // namespace caf_app
