// A web_sample as a line of JSON, which is how an instance sends it to its parent. Pure. What is
// missing, negative or no number stays missing.
#pragma once

#include <string>
#include <string_view>

#include <caf/expected.hpp>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

std::string to_json(const web_sample& sample);

/// @returns errc::invalid_argument if it is no sample at all
caf::expected<web_sample> parse_sample(std::string_view line);

} // namespace caf_app::scaler
