// Owns the upstream connections of one loop on behalf of its requests: as long as it lives idle
// connections are kept and health checks run; with it they end.
#pragma once

#include <memory>

#include "actors/http/loop_context.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app::http {

/// One per loop.
class upstream_actor final : public loop_app_actor {
public:
  upstream_actor(caf::actor_config& cfg, event_loop* loop, std::shared_ptr<loop_context> context);

  const char* name() const override { return "http.upstreams"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  std::shared_ptr<loop_context> context_;
};

} // namespace caf_app::http
