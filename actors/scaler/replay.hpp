// The ticks of a policy as text, so that what it decided can be decided again: one line per start,
// order or tick. Numbers are written exactly. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <caf/expected.hpp>

#include "actors/scaler/policy.hpp"

namespace caf_app::scaler {

/// `start <now> <max>`: a policy begins.
std::string start_line(steady::time_point now, size_t max_instances);

/// `pin <count>`, 0 for automatic.
std::string pin_line(std::optional<size_t> count);

/// `tick ...`
std::string tick_line(const tick& x);

/// Reads a line of tick_line(). @returns errc::invalid_argument
caf::expected<tick> parse_tick(std::string_view line);

/// Runs a fresh policy over recorded lines. Ticks before the first start are skipped.
/// @returns the decision of each tick, or errc::invalid_argument with the number of the bad line
caf::expected<std::vector<decision>> replay(const std::vector<std::string>& lines,
                                            const scaler_options& options);

} // namespace caf_app::scaler
