#include "nodes/named_child.hpp"

#include <caf/send.hpp>

namespace caf_app {

child_spec named_child(std::shared_ptr<registry> names, std::string id,
                       std::function<caf::actor(caf::actor_system&)> spawn) {
  child_spec spec;
  spec.id = id;
  spec.start = [names = std::move(names), id = std::move(id),
                spawn = std::move(spawn)](const start_context& start) -> caf::expected<caf::actor> {
    auto actor = spawn(start.system);
    if (auto held = names->register_name(id, actor); !held) {
      caf::anon_send_exit(actor, caf::exit_reason::kill);
      return std::move(held.error());
    }
    return actor;
  };
  return spec;
}

} // namespace caf_app
