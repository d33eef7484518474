#include "caf_app/supervision/child_spec.hpp"

#include <algorithm>

namespace caf_app {

std::string to_string(restart_type x) {
  switch (x) {
    case restart_type::permanent: return "permanent";
    case restart_type::transient: return "transient";
    case restart_type::temporary: return "temporary";
  }
  return "unknown";
}

std::string to_string(restart_strategy x) {
  switch (x) {
    case restart_strategy::one_for_one: return "one_for_one";
    case restart_strategy::one_for_all: return "one_for_all";
    case restart_strategy::rest_for_one: return "rest_for_one";
  }
  return "unknown";
}

std::string to_string(auto_shutdown x) {
  switch (x) {
    case auto_shutdown::never: return "never";
    case auto_shutdown::any_significant: return "any_significant";
    case auto_shutdown::all_significant: return "all_significant";
  }
  return "unknown";
}

std::string to_string(child_kind x) {
  switch (x) {
    case child_kind::worker: return "worker";
    case child_kind::supervisor: return "supervisor";
  }
  return "unknown";
}

std::string why_invalid_child(const child_spec& spec) {
  const auto bad = std::find_if(spec.id.begin(), spec.id.end(),
                                [](unsigned char c) { return c <= ' ' || c > '~' || c == '/'; });
  if (spec.id.empty() || bad != spec.id.end())
    return "the id \"" + spec.id +
           "\" is empty or has a byte other than printable ASCII without '/'";
  if (!spec.start)
    return "child " + spec.id + " has no start function";
  if (spec.shutdown_timeout.count() < 0)
    return "child " + spec.id + " has a negative shutdown timeout";
  if (spec.significant && spec.restart == restart_type::permanent)
    return "child " + spec.id + " is permanent and cannot be significant";
  return {};
}

} // namespace caf_app
