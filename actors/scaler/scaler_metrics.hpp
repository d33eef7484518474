// The metrics of a scaler. Labels: targets, instances and enums only.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "actors/scaler/decision.hpp"
#include "actors/scaler/instance_fleet.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::scaler {

/// The families caf_scaler_*, for one target.
class scaler_metrics {
public:
  scaler_metrics(metrics& books, std::string target);

  void count_events(const fleet_events& events);
  void show_instances(size_t ready, size_t starting, size_t draining, size_t wanted);
  /// @param news whether it is counted as one that was logged
  void show_decision(const decision& made, bool news);

  /// The age of the last sample of each instance, as it is when somebody asks. Instances that are
  /// not among them are forgotten.
  void show_samples(const std::map<std::string, steady::time_point>& samples);
  void show_state(bool panic, bool pinned, bool dry_run, unsigned penalty);

private:
  struct sample_age {
    std::shared_ptr<std::atomic<int64_t>> at_ns;
    metrics::observer shown;
  };

  gauge& of(const std::string& name, const std::string& help, metric_labels labels = {});

  metrics& books_;
  std::string target_;
  std::map<std::string, sample_age> ages_;
};

} // namespace caf_app::scaler
