#include "caf_app/loop/scheduler.hpp"

#include <optional>
#include <utility>

#include <caf/abstract_actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/group.hpp>
#include <caf/policy/work_sharing.hpp>
#include <caf/scheduler/coordinator.hpp>

#include "caf_app/loop/turn.hpp"

namespace caf_app {

void quiet_clock::set_ordinary_timeout(time_point t, caf::abstract_actor* self,
                                       caf::atom_value type, uint64_t id) {
  remember(self);
  target_.set_ordinary_timeout(t, self, type, id);
}

void quiet_clock::set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                                    uint64_t id) {
  remember(self);
  target_.set_multi_timeout(t, self, type, id);
}

void quiet_clock::set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) {
  remember(self);
  target_.set_request_timeout(t, self, id);
}

void quiet_clock::cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) {
  target_.cancel_ordinary_timeout(self, type);
}

void quiet_clock::cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) {
  target_.cancel_request_timeout(self, id);
}

void quiet_clock::cancel_timeouts(caf::abstract_actor* self) {
  if (forget(self))
    target_.cancel_timeouts(self);
}

void quiet_clock::schedule_message(time_point t, caf::strong_actor_ptr receiver,
                                   caf::mailbox_element_ptr content) {
  target_.schedule_message(t, std::move(receiver), std::move(content));
}

void quiet_clock::schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                                   caf::message content) {
  target_.schedule_message(t, std::move(target), std::move(sender), std::move(content));
}

void quiet_clock::cancel_all() {
  target_.cancel_all();
  const std::lock_guard guard{mutex_};
  with_timeouts_.clear();
}

void quiet_clock::remember(const caf::abstract_actor* self) {
  const std::lock_guard guard{mutex_};
  with_timeouts_.insert(self->id());
}

bool quiet_clock::forget(const caf::abstract_actor* self) {
  const std::lock_guard guard{mutex_};
  return with_timeouts_.erase(self->id()) > 0;
}

namespace {

/// CAF's work sharing, where the slice of an actor is a turn. It wakes a worker when the lock of
/// the queue is free again, so that the worker does not wake to wait for it.
class turn_sharing : public caf::policy::work_sharing {
public:
  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    queue_type fresh;
    fresh.push_back(job);
    {
      const std::lock_guard guard{d(self).lock};
      d(self).queue.splice(d(self).queue.end(), fresh);
    }
    d(self).cv.notify_one();
  }

  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }

  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }

  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }

  template <class Worker>
  void before_resume(Worker*, caf::resumable*) {
    turn_.emplace();
  }

  template <class Worker>
  void after_resume(Worker*, caf::resumable*) {
    turn_.reset();
  }

private:
  std::optional<turn> turn_; // each worker has a policy of its own
};

using sharing = caf::scheduler::coordinator<turn_sharing>;

class scheduler final : public sharing {
public:
  explicit scheduler(caf::actor_system& system) : sharing(system), clock_(sharing::clock()) {}

  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>) {
    return new scheduler(system);
  }

  caf::detail::thread_safe_actor_clock& clock() noexcept override { return clock_; }

private:
  quiet_clock clock_;
};

} // namespace

void load_scheduler(caf::actor_system_config& config, size_t workers) {
  config.load<scheduler>();
  config.set("scheduler.max-threads", workers);
  config.set("scheduler.max-throughput", size_t{64}); // unlimited by default: starves loops, timers
}

} // namespace caf_app
