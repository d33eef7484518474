// What `caf-node --check` does beside reading the file: whatever the file names is opened and
// looked up by the functions that the start uses. Nothing is bound, written or started, so ports in
// use and a data folder that cannot be made are for the start to refuse.
#pragma once

#include <caf/error.hpp>

#include "nodes/node_config.hpp"

namespace caf_app {

/// Of the node of `config`, else of all nodes of the file. May block.
/// @returns what the start would refuse first, with its place in the file
caf::error check_start(const node_config& config);

/// What a start or reload has refused, in the words of check_start() if that finds it.
caf::error explained(const node_config& config, caf::error why);

} // namespace caf_app
