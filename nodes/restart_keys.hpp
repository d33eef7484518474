// Which changes of a cluster file a reload cannot carry out: they wait for a restart of the node,
// and its operator has to be told. Compares what is written, so a key is named as people write it.
#pragma once

#include <string>
#include <vector>

#include "caf_app/base/config_value.hpp"

namespace caf_app {

/// @param running,fresh whole files: the one that the node was started with, and the one read now
/// @param node whose entry of [[node]] counts; of the others only names and links do
/// @returns "log.level", "node.roles", "node.link of b"; sorted, empty if the reload does it all
std::vector<std::string> restart_keys(const config_value& running, const config_value& fresh,
                                      const std::string& node);

} // namespace caf_app
