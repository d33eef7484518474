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

struct fleet_report {
  std::vector<instance_status> instances;
  std::vector<web_sample> samples;
  fleet_events events;
  host_sample host;
  size_t max_instances = 1;
  std::optional<size_t> pin;
};

std::string to_json(const fleet_report& report, steady::time_point now);

/// @param now when it arrived
/// @returns errc::invalid_argument
caf::expected<fleet_report> parse_report(std::string_view text, steady::time_point now);

} // namespace caf_app::scaler
