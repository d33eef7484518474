// How others talk to a supervisor at run time. What a child is and how it starts is data of the
// supervisor (supervision/child_spec.hpp) and never travels.
#pragma once

#include <string>

#include <caf/actor.hpp>
#include <caf/meta/type_name.hpp>

namespace caf_app {

/// Hands a running actor over to a supervisor, which stops it when it stops itself, never restarts
/// it, and shows it in the tree as `id`. No reply; one that is already dead is forgotten at once.
struct adopt_child {
  std::string id; ///< unique among the living children
  caf::actor child;
};

/// Stops a child, in order and with its timeout, and forgets its spec. Answered with nothing once
/// it is gone; not_found if there is none.
struct remove_child {
  std::string id;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, adopt_child& x) {
  return f(caf::meta::type_name("adopt_child"), x.id, x.child);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, remove_child& x) {
  return f(caf::meta::type_name("remove_child"), x.id);
}

} // namespace caf_app
