#include "caf_app/supervision/supervisor.hpp"

namespace caf_app {

caf::actor spawn_supervisor(caf::actor_system& system, supervisor_options options) {
  return system.spawn<supervisor>(std::move(options));
}

child_spec supervisor_child(std::string id, supervisor_options options,
                            std::chrono::milliseconds shutdown_timeout, restart_type restart) {
  child_spec result;
  result.id = std::move(id);
  result.restart = restart;
  result.shutdown_timeout = shutdown_timeout;
  result.kind = child_kind::supervisor;
  result.start = [options = std::move(options)](const start_context& context) mutable {
    auto mine = options;
    mine.path = context.path;
    mine.tree = context.tree;
    if (!mine.log)
      mine.log = context.log;
    return caf::expected<caf::actor>{spawn_supervisor(context.system, std::move(mine))};
  };
  return result;
}

} // namespace caf_app
