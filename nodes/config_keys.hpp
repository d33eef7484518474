// The rows of the configuration's reference, for all sections of a cluster file.
#pragma once

#include <vector>

#include "caf_app/base/config_rule.hpp"

namespace caf_app {

/// One row per section that read_node_config() reads, with the keys of the table that reads it.
std::vector<config_key> node_config_keys();

} // namespace caf_app
