// The scheduler of actors that are pinned to no loop: CAF's work-sharing one, with a clock in front
// of CAF's that keeps quiet. CAF tells its clock of the end of each actor, in case one of the
// actor's timeouts is still to come; that wakes the clock's thread, which costs more than the rest
// of an actor's life. Figures: adr/0010-quiet-clock.md.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_set>

#include <caf/actor_system_config.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>

namespace caf_app {

/// Forwards all but the ends of actors that have set no timeout. Any thread.
class quiet_clock final : public caf::detail::thread_safe_actor_clock {
public:
  /// @param target outlives this
  explicit quiet_clock(caf::actor_clock& target) : target_(target) {}

  time_point now() const noexcept override { return target_.now(); }
  duration_type difference(caf::atom_value measurement, long units, time_point t0,
                           time_point t1) const noexcept override {
    return target_.difference(measurement, units, t0, t1);
  }
  void set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                            uint64_t id) override;
  void set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                         uint64_t id) override;
  void set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) override;
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override;
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override;
  void cancel_timeouts(caf::abstract_actor* self) override;
  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override;
  void schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                        caf::message content) override;
  void cancel_all() override;

private:
  void remember(const caf::abstract_actor* self);
  bool forget(const caf::abstract_actor* self);

  caf::actor_clock& target_;
  std::mutex mutex_;
  std::unordered_set<caf::actor_id> with_timeouts_; // guarded by mutex_; alive
};

/// Makes an actor system use it. Call before the system is made.
/// @param workers threads, above zero
void load_scheduler(caf::actor_system_config& config, size_t workers);

} // namespace caf_app
