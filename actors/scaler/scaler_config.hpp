// The section [scaler] of a cluster file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "actors/scaler/scaler_options.hpp"
#include "caf_app/base/config.hpp"

namespace caf_app::scaler {

/// The rule of the section; refuses `up - down` below 0.2 and bounds that cross.
config_rule<scaler_options> scaler_config_rule();

/// "7110-7119" or "7110". @returns first and last port, nothing if it is something else
std::optional<std::pair<uint16_t, uint16_t>> parse_port_range(std::string_view text);

} // namespace caf_app::scaler
