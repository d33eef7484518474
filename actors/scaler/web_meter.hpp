// Makes samples from sums: what an instance has counted so far, at two moments. Pure. A sum that
// went backwards, or that is not known, is missing in the sample.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

/// What a loop has done so far.
struct loop_sums {
  steady::duration age{};               ///< since it began
  steady::duration waited{};            ///< of that: asleep, with nothing to do
  steady::duration lag{};               ///< worst since the moment before
  steady::duration running_for{};       ///< age of the pass that runs now
  std::optional<uint64_t> run_delay_ns; ///< so far, runnable without a core
};

/// An instance at one moment.
struct web_sums {
  std::vector<loop_sums> loops;
  std::optional<uint64_t> requests;     ///< finished and refused so far
  uint64_t accept_queue = 0;            ///< connections in the longest one right now
  uint64_t connections = 0;             ///< right now
  uint64_t idle_connections = 0;        ///< of these
  time_split open;                      ///< open requests right now, by what they wait for
  std::vector<upstream_load> upstreams; ///< who waits right now, full backlogs so far
  std::optional<uint64_t> fpm_idle;     ///< workers of PHP-FPM that wait for a request
  std::optional<uint64_t> cpu_us;       ///< so far
  std::optional<uint64_t> rss_bytes;
};

/// One instance. One thread.
class web_meter {
public:
  web_meter(std::string instance, std::string incarnation)
      : instance_(std::move(instance)), incarnation_(std::move(incarnation)) {}

  /// Between two samples: remembers what is known for a moment only.
  void peek(const web_sums& now);

  /// @returns the sample of the window since the call before; nothing at the first one
  std::optional<web_sample> sample(const web_sums& now, steady::time_point at);

private:
  std::vector<upstream_load> load_of(const web_sums& before, const web_sums& now) const;

  std::string instance_;
  std::string incarnation_;
  uint64_t seq_ = 0;
  uint64_t queue_peak_ = 0;
  std::map<std::string, uint64_t> upstream_peaks_; // since the last sample
  time_split open_;                                // sums of the moments since the last sample
  uint64_t moments_ = 0;
  std::optional<web_sums> before_;
  steady::time_point before_at_;
};

} // namespace caf_app::scaler
