#include "actors/http/upstream_actor.hpp"

#include "actors/http/upstream_pool_handler.hpp"

namespace caf_app::http {

upstream_actor::upstream_actor(caf::actor_config& cfg, event_loop* loop,
                               std::shared_ptr<loop_context> context)
    : loop_app_actor(cfg, loop), context_(std::move(context)) {}

caf::behavior upstream_actor::make_behavior() {
  context_->upstreams->open();
  return {[this](caf::close_atom) { quit(); }}; // an actor without a behaviour would end at once
}

void upstream_actor::on_exit() { context_->upstreams->close(); }

} // namespace caf_app::http
