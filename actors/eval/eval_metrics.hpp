// What the evaluator counts. Labels come from fixed sets.
#pragma once

#include "caf_app/base/metrics.hpp"

namespace caf_app::eval {

struct eval_metrics {
  explicit eval_metrics(metrics& books);

  /// Counts a finished call by the class of its status: 200, 4xx, 429, 502, 503, 504, other.
  void ended(uint16_t status) const;

  histogram& queue_seconds;
  histogram& service_seconds;
  counter& cold_starts;
  counter& kills;
  gauge& workers;
  gauge& busy;
  gauge& waiting;

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
