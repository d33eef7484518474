// What the scaler of an evaluator does at each step: judges a report, lets the policy decide how
// many workers there shall be, and shows what came of it in the log, the files, the metrics and
// the board. The same policy as for web instances; the actor adds the clock and the messages.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "actors/scaler/decision_log.hpp"
#include "actors/scaler/eval_report.hpp"
#include "actors/scaler/journal.hpp"
#include "actors/scaler/policy.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "actors/scaler/scaler_metrics.hpp"
#include "actors/scaler/worker_slots.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::scaler {

struct eval_brain_options {
  std::string target; ///< "eval/eval-1"
  std::shared_ptr<scaler_board> board;
  std::filesystem::path folder; ///< of decisions.jsonl and ticks.log; empty: no files
  wall_source time_of_day = wall_now;
  metrics_ptr books;
  logger_ptr log;
  log_speaker speaker;
};

/// For one actor.
class eval_brain {
public:
  /// @param now the start counts as a panic, see policy
  eval_brain(eval_brain_options options, steady::time_point now);

  /// @param owner whether the caller may act now
  /// @returns how many workers there shall be, if that is another number than before
  std::optional<size_t> step(const eval_report& report, bool owner, steady::time_point now);

private:
  std::filesystem::path file(const char* name) const;
  void take_settings(const eval_report& report);
  void show(const decision& made, const eval_report& report, const tick& seen);

  eval_brain_options options_;
  scaler_options set_; // as the policy has it
  size_t max_ = 1;     // workers
  policy policy_;
  worker_slots slots_;
  decision_log log_;
  journal decisions_;
  journal ticks_;
  scaler_metrics metrics_;
};

/// What is shown of an evaluator whose workers are not scaled: a JSON object.
std::string fixed_state(const std::string& target, const eval_report& report);

/// What web scalers have to know of it.
/// @param options of the section, not of the policy
eval_load load_of(const eval_report& report, const scaler_options& options);

} // namespace caf_app::scaler
