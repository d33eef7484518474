// CAF's own id of a node, made unique: MAC address and process id, its default, repeat in a
// restarted container, and without CAF's middleman there is none, so that handles of other nodes
// would be taken for local ones. Load it into the configuration of every actor system that has
// links.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/detail/type_list.hpp>

namespace caf_app {

/// `config.load<node_identity>()`: 160 random bits and a random process id replace CAF's node id
/// before any actor exists.
class node_identity final : public caf::actor_system::module {
public:
  explicit node_identity(caf::actor_system& system) : system_(system) {}

  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>) {
    return new node_identity(system);
  }

  void init(caf::actor_system_config& config) override;
  void start() override {}
  void stop() override {}
  id_t id() const override { return network_manager; }
  void* subtype_ptr() override { return this; }

private:
  caf::actor_system& system_;
};

} // namespace caf_app
