#include "nodes/named_child.hpp"

#include <caf/send.hpp>

namespace caf_app {

namespace {

/// @returns what went wrong at once; a cluster's answer comes later
caf::error take_name(registry& names, const std::string& id, const caf::actor& actor,
                     name_scope scope) {
  if (scope == name_scope::node) {
    auto held = names.register_name(id, actor);
    return held ? caf::error{} : std::move(held.error());
  }
  const auto failed = std::make_shared<caf::error>();
  names.claim_name(id, actor, claim_mode::standby,
                   [weak = std::weak_ptr{failed}](const caf::error& why) {
                     if (const auto now = weak.lock(); now && why)
                       *now = why;
                   });
  return *failed;
}

} // namespace

child_spec named_child(std::shared_ptr<registry> names, std::string id,
                       std::function<caf::actor(caf::actor_system&)> spawn, name_scope scope) {
  child_spec spec;
  spec.id = id;
  spec.start = [names = std::move(names), id = std::move(id), spawn = std::move(spawn),
                scope](const start_context& start) -> caf::expected<caf::actor> {
    auto actor = spawn(start.system);
    if (auto err = take_name(*names, id, actor, scope)) {
      caf::anon_send_exit(actor, caf::exit_reason::kill);
      return err;
    }
    return actor;
  };
  return spec;
}

} // namespace caf_app
