// What a fleet tells a scaler on another node, as JSON. Times are those of the fleet's clock; the
// reader moves them to its own, since clocks of two hosts have nothing in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <caf/expected.hpp>

#include "actors/scaler/instance_fleet.hpp"

namespace caf_app::scaler {

/// What instance_fleet would tell here, and what was written down at its node.
struct fleet_report {
  std::vector<instance_status> instances;
  std::vector<web_sample> samples; ///< that are new
  fleet_events events;             ///< that are new
  host_sample host;
  size_t max_instances = 1;
  std::optional<size_t> pin; ///< count set by hand
};

/// @param now of the fleet's clock
std::string to_json(const fleet_report& report, steady::time_point now);

/// @param now when it arrived
/// @returns errc::invalid_argument
caf::expected<fleet_report> parse_report(std::string_view text, steady::time_point now);

} // namespace caf_app::scaler
