// Keeps the number of instances of a node right: looks at samples once per period, lets the policy
// decide, and tells the fleet. Everything that could be wrong about a decision is pure and
// elsewhere; this has the clock, the files and the metrics. A restarted one goes on with the
// instances that it finds.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "actors/scaler/instance_fleet.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/registry/asking.hpp"

namespace caf_app::scaler {

struct scaler_actor_options {
  std::string target; ///< "web/edge-1"
  std::shared_ptr<scaler_board> board;
  std::shared_ptr<instance_fleet> fleet;
  std::filesystem::path folder; ///< of decisions.jsonl and ticks.log; empty: no files
  std::function<bool(const caf::actor& self)> owns; ///< whether this actor may act now
  wall_source time_of_day = wall_now;
  metrics_ptr books;
  logger_ptr log;
};

caf::behavior scaler_actor(app_actor* self, const scaler_actor_options& options);

} // namespace caf_app::scaler
