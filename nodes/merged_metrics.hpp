// The metrics of several processes as one text for Prometheus. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace caf_app {

/// Adds what instances count to what their node counts. Each family stays in one piece, with its
/// HELP and TYPE once; families are in the order of their names.
/// @param own exposition (format 0.0.4) of the node; its lines stay as they are
/// @param instances exposition by name of the instance; their lines get the label `instance`
std::string merged_metrics(std::string_view own,
                           const std::map<std::string, std::string>& instances);

} // namespace caf_app
