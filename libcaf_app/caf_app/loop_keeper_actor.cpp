#include "caf_app/loop_keeper_actor.hpp"

#include "caf_app/supervision/supervisor.hpp"

namespace caf_app {

namespace {

class loop_keeper_actor final : public loop_app_actor {
public:
  loop_keeper_actor(caf::actor_config& cfg, event_loop* loop, metrics_ptr books)
      : loop_app_actor(cfg, loop), books_(std::move(books)), shown_(*books_, *loop) {}

  const char* name() const override { return "loop"; }

protected:
  caf::behavior make_behavior() override {
    return {[](caf::ok_atom) {}}; // alive, nothing to do
  }

private:
  metrics_ptr books_;
  loop_metrics shown_;
};

} // namespace

child_spec loops_supervisor(std::vector<event_loop*> loops, metrics_ptr books) {
  supervisor_options options;
  for (auto* loop : loops) {
    child_spec child;
    child.id = "loop-" + std::to_string(loop->index());
    child.start = [loop, books](const start_context& start) -> caf::expected<caf::actor> {
      return spawn_on<loop_keeper_actor>(start.system, loop, books);
    };
    options.children.push_back(std::move(child));
  }
  return supervisor_child("loops", std::move(options),
                          limits::supervision::child_shutdown_timeout * 2);
}

} // namespace caf_app
