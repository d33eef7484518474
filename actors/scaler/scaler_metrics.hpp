// The metrics of a scaler. Labels: targets, instances and enums only.
#pragma once

#include <array>
#include <string>

#include "actors/scaler/decision.hpp"
#include "actors/scaler/instance_fleet.hpp"
#include "caf_app/base/metrics.hpp"

namespace caf_app::scaler {

class scaler_metrics {
public:
  scaler_metrics(metrics& books, std::string target);

  void count_events(const fleet_events& events);
  void show_instances(size_t ready, size_t starting, size_t draining, size_t wanted);
  void show_decision(const decision& made, bool news);
  void show_state(bool panic, bool pinned, bool dry_run, unsigned penalty);

private:
  gauge& of(const std::string& name, const std::string& help, metric_labels labels = {});

  metrics& books_;
  std::string target_;
};

} // namespace caf_app::scaler
