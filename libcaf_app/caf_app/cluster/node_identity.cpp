#include "caf_app/cluster/node_identity.hpp"

#include <algorithm>
#include <array>

#include <caf/node_id.hpp>

#include "caf_app/cluster/random_source.hpp"

namespace caf_app {

void node_identity::init(caf::actor_system_config&) {
  const auto bytes = random_bits<caf::node_id::default_data::host_id_type>();
  const auto process = random_bits<uint32_t>() | 1;
  const_cast<caf::node_id&>(system_.node()) = caf::make_node_id(process, bytes);
}

} // namespace caf_app
