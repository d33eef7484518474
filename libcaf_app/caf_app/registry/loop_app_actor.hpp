// The usual base of actors on an event loop: ask and watch, with deadlines on the loop's timer
// wheel instead of CAF's clock thread.
#pragma once

#include "caf_app/loop/loop_actor.hpp"
#include "caf_app/registry/asking.hpp"

namespace caf_app {

/// Handlers run on the thread of loop(); spawn it with spawn_on().
class loop_app_actor : public asking<loop_actor<>> {
public:
  /// @param loop null: an ordinary scheduled actor, which deterministic tests want
  loop_app_actor(caf::actor_config& cfg, event_loop* loop)
      : asking<loop_actor<>>(cfg, loop), ask_timer_([this] { on_ask_due(); }) {}

  bool cleanup(caf::error&& reason, caf::execution_unit* host) override {
    ask_timer_.cancel();
    return asking<loop_actor<>>::cleanup(std::move(reason), host);
  }

protected:
  time_point ask_now() const override {
    return loop() ? loop()->now() : asking<loop_actor<>>::ask_now();
  }

  void arm_ask_timer(time_point due, uint64_t generation) override {
    if (!loop())
      return asking<loop_actor<>>::arm_ask_timer(due, generation);
    generation_ = generation;
    loop()->timers().arm(ask_timer_, due);
  }

private:
  void on_ask_due() {
    this->eq_impl(caf::make_message_id(), nullptr, loop(),
                  caf::timeout_msg{detail::ask_timer, generation_});
  }

  wheel_timer ask_timer_;
  uint64_t generation_ = 0;
};

} // namespace caf_app
