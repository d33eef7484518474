#include "actors/http/worker_handler.hpp"

#include <caf/actor_system.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

namespace caf_app::http {

namespace {

class errand final : public caf::ref_counted, public caf::resumable {
public:
  errand(event_loop& loop, std::function<void()> work, std::function<void()> done)
      : loop_(loop), work_(std::move(work)), done_(std::move(done)) {}

  subtype_t subtype() const override { return function_object; }
  void intrusive_ptr_add_ref_impl() override { ref(); }
  void intrusive_ptr_release_impl() override { deref(); }

  resume_result resume(caf::execution_unit*, size_t) override {
    work_();
    loop_.post([&loop = loop_, done = std::move(done_)] {
      loop.socket_removed();
      done();
    });
    return done;
  }

private:
  event_loop& loop_;
  std::function<void()> work_;
  std::function<void()> done_;
};

class loop_workers final : public worker_pool {
public:
  explicit loop_workers(event_loop& loop) : loop_(loop) {}

  // A loop ends when it has no sockets any more: work under way counts as one.
  void run(std::function<void()> work, std::function<void()> done) override {
    loop_.socket_added();
    loop_.system().scheduler().enqueue(new errand(loop_, std::move(work), std::move(done)));
  }

private:
  event_loop& loop_;
};

} // namespace

std::shared_ptr<worker_pool> make_loop_workers(event_loop& loop) {
  return std::make_shared<loop_workers>(loop);
}

} // namespace caf_app::http
