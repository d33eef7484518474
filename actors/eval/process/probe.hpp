// How well this host can confine drivers: what the confine program says about itself.
#pragma once

#include <string>

#include "actors/eval/process/toolchain.hpp"

namespace caf_app::eval {

struct confinement_layers {
  std::string json_text; ///< {"noNewPrivileges", "limits", "seccomp", "landlock"} or an error text
  bool complete = false; ///< no layer is missing
};

/// Runs the program. Blocking, a few milliseconds; 5 s for one that says nothing.
confinement_layers probe_confinement(const toolchain& tools);

} // namespace caf_app::eval
