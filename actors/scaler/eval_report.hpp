// What the keeper of an evaluator tells a scaler, which may be on another node, as JSON. Times are
// those of the keeper's clock; the reader moves them to its own. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <caf/expected.hpp>

#include "actors/scaler/eval_meter.hpp"
#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

struct eval_report {
  worker_counts workers;
  std::optional<eval_sample> sample; ///< the last one
  std::optional<host_sample> host;   ///< where the workers run
};

/// @param now of the keeper's clock
std::string to_json(const eval_report& report, steady::time_point now);

/// @param now when it arrived
/// @returns errc::invalid_argument
caf::expected<eval_report> parse_eval_report(std::string_view text, steady::time_point now);

} // namespace caf_app::scaler
