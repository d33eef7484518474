#include "nodes/basp_gateway.hpp"

#include <map>
#include <string>

#include <caf/actor_registry.hpp>
#include <caf/io/middleman.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/harden.hpp"

namespace caf_app {

namespace {

/// Passes everything on to the holder of a name, wherever that is. Clients know this handle only:
/// they could not reach other nodes.
caf::behavior doorman(named_actor<"gateway.door", caf::event_based_actor>* self,
                      std::shared_ptr<const registry> names, const std::string& name) {
  harden(self);
  self->set_default_handler([names = std::move(names),
                             name](caf::scheduled_actor* me,
                                   caf::message_view& x) -> caf::result<caf::message> {
    const auto target = names->where_is(name);
    if (!target) {
      if (me->current_message_id().is_request())
        return caf::make_error(errc::noproc, "nobody holds the name \"" + name + "\"");
      return caf::delegated<caf::message>{};
    }
    const auto sender = me->current_sender();
    const auto id = me->take_current_message_id();
    caf::actor_cast<caf::abstract_actor*>(target)->enqueue(sender, id, x.move_content_to_message(),
                                                           me->context());
    return caf::delegated<caf::message>{};
  });
  return {[](caf::tick_atom) {}};
}

} // namespace

caf::behavior basp_gateway(named_actor<"gateway">* self, std::shared_ptr<const registry> names) {
  const auto doors = std::make_shared<std::map<std::string, caf::actor>>();
  const auto find = [self, names = std::move(names),
                     doors](const std::string& name) -> caf::result<caf::actor> {
    if (!names->where_is(name))
      return caf::make_error(errc::not_found, "nobody holds the name \"" + name + "\"");
    auto& door = (*doors)[name];
    if (!door)
      door = self->spawn<caf::linked>(doorman, names, name);
    return door;
  };
  return {find, [find](caf::get_atom, const std::string& name) { return find(name); }};
}

void load_basp(caf::actor_system_config& config) { config.load<caf::io::middleman>(); }

caf::error start_gateway(caf::actor_system& system, const std::shared_ptr<const registry>& names,
                         const std::optional<host_port>& where, std::vector<child_spec>& children) {
  if (!where)
    return caf::none;
  for (const auto* name : {"SpawnServ", "ConfigServ"})
    system.registry().erase(caf::atom_from_string(name));
  const auto gateway = system.spawn(basp_gateway, names);
  const auto port = system.middleman().publish(gateway, where->port, where->host.c_str(), true);
  if (!port) {
    caf::anon_send_exit(gateway, caf::exit_reason::kill);
    return caf::make_error(errc::start_failed,
                           "basp_gateway " + to_string(*where) + ": " + describe(port.error()));
  }
  child_spec spec;
  spec.id = "gateway";
  spec.restart = restart_type::temporary;
  spec.start = [gateway](const start_context&) -> caf::expected<caf::actor> { return gateway; };
  children.push_back(std::move(spec));
  return caf::none;
}

} // namespace caf_app
