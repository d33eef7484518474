#include "caf_app/messages/registry.hpp"

namespace caf_app {

std::string to_string(registry_change change) {
  switch (change) {
    case registry_change::present: return "present";
    case registry_change::synced: return "synced";
    case registry_change::added: return "added";
    case registry_change::removed: return "removed";
    case registry_change::changed: return "changed";
  }
  return "unknown";
}

} // namespace caf_app
