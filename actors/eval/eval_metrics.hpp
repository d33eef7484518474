// What the evaluator counts. Labels come from fixed sets.
#pragma once

#include "caf_app/base/metrics.hpp"

namespace caf_app::eval {

/// The families caf_eval_*. What they count is in their help texts. Any thread.
struct eval_metrics {
  /// @param books outlives this
  explicit eval_metrics(metrics& books);

  /// Counts a finished call by the class of its status: 200, 4xx, 429, 502, 503, 504, other.
  void ended(uint16_t status) const;

  histogram& queue_seconds;   ///< from the arrival of a call until a worker has it
  histogram& service_seconds; ///< from then on until its answer is there
  counter& cold_starts;       ///< workers that were started
  counter& kills;             ///< workers that were killed or crashed while a call ran
  gauge& workers;
  gauge& busy;    ///< workers that run a call
  gauge& waiting; ///< calls

private:
  counter& ok_;
  counter& refused_;
  counter& tenant_full_;
  counter& crashed_;
  counter& unavailable_;
  counter& timed_out_;
  counter& failed_;
};

} // namespace caf_app::eval
