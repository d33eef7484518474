// Tells from samples what limits the web tier, or the evaluator. A table of conditions; the first
// row that matches is the verdict. Pure: remembers only whether an upstream was full in the sample
// before.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/scaler/reading.hpp"
#include "actors/scaler/samples.hpp"
#include "actors/scaler/scaler_options.hpp"

namespace caf_app::scaler {

/// An instance as its launcher knows it, with the last sample that it sent.
struct instance_view {
  std::string name;
  unsigned number = 1;     ///< 1 is the node itself, which is never retired
  std::string incarnation; ///< process id: another one is another process
  instance_state state = instance_state::starting;
  steady::time_point started;
  std::optional<web_sample> sample;
  bool listens = true; ///< if it drains: can be taken back
};

/// Judges the instances of one node. One thread.
class web_classifier {
public:
  explicit web_classifier(const scaler_options& options) : options_(options) {}

  void set_options(const scaler_options& options) { options_ = options; }

  /// @param instances all; only ready ones count, each with a fresh sample of its present process,
  ///   else the verdict is unknown
  /// @param evaluators those of the cluster, if it is known how they are
  reading classify(const std::vector<instance_view>& instances,
                   const std::optional<host_sample>& host,
                   const std::optional<eval_load>& evaluators, steady::time_point now);

private:
  struct sums;

  bool add(const web_sample& sample, sums& sum, reading& result);
  void note_upstreams(const web_sample& sample, sums& sum);
  reason contention(const sums& sum, const host_sample& host) const;
  void judge(reading& result, const sums& sum, const host_sample& host,
             const std::optional<eval_load>& evaluators) const;

  scaler_options options_;
  std::map<std::string, uint64_t> last_seq_; // of each instance
  std::map<std::string, std::vector<bool>>
      fulls_; // per instance: was an upstream full, newest last
};

/// Judges the workers of an evaluator: U is their busy share. The verdict that asks for more of
/// them is eval_bound.
reading classify_eval(const std::optional<eval_sample>& sample,
                      const std::optional<host_sample>& host, const scaler_options& options,
                      steady::time_point now);

} // namespace caf_app::scaler
