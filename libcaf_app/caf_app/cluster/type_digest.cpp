#include "caf_app/cluster/type_digest.hpp"

#include <set>
#include <string>
#include <string_view>

#include <caf/actor_system_config.hpp>

namespace caf_app {

namespace {

/// Types of CAF's modules, and what it makes of them by itself: "@new_data_msg",
/// "stream<@protocol>".
bool is_of_caf(std::string_view name) { return name.find('@') != std::string_view::npos; }

} // namespace

uint64_t type_digest(const caf::actor_system_config& config) {
  const caf::actor_system_config plain; // what CAF itself registers, in this version
  std::set<std::string> names;
  for (const auto& [name, factory] : config.value_factories_by_name)
    if (plain.value_factories_by_name.count(name) == 0 && !is_of_caf(name))
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
