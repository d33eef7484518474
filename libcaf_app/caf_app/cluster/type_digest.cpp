#include "caf_app/cluster/type_digest.hpp"

#include <set>
#include <string>

#include <caf/actor_system_config.hpp>

namespace caf_app {

uint64_t type_digest(const caf::actor_system_config& config) {
  std::set<std::string> names;
  for (const auto& [name, factory] : config.value_factories_by_name)
    if (name.find("caf_app") != std::string::npos) // not those of CAF's modules
      names.insert(name);
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a, 64 bits
  for (const auto& name : names) {
    for (const auto byte : name)
      hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
    hash = (hash ^ 0x1f) * 0x100000001b3; // names do not run into each other
  }
  return hash;
}

} // namespace caf_app
