// What a scaler actor does at each step: takes samples, lets the policy decide, tells the fleet,
// and shows what came of it in the log, the files, the metrics and the board. The actor adds the
// clock.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/scaler/classifier.hpp"
#include "actors/scaler/decision_log.hpp"
#include "actors/scaler/eval_pressure.hpp"
#include "actors/scaler/instance_fleet.hpp"
#include "actors/scaler/journal.hpp"
#include "actors/scaler/policy.hpp"
#include "actors/scaler/rebalancer.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "actors/scaler/scaler_metrics.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::scaler {

struct scaler_brain_options {
  std::string target; ///< "web/edge-1"
  std::shared_ptr<scaler_board> board;
  std::shared_ptr<instance_fleet> fleet;
  std::shared_ptr<const eval_pressure> evaluators; ///< null: nobody knows how they are
  std::filesystem::path folder; ///< of decisions.jsonl and ticks.log; empty: no files
  wall_source time_of_day = wall_now;
  metrics_ptr books;
  logger_ptr log;
  log_speaker speaker;
};

/// For one actor.
class scaler_brain {
public:
  explicit scaler_brain(scaler_brain_options options);

  /// @param owner whether the caller may act now
  void step(bool owner);

  std::chrono::milliseconds period() const { return set_.period; }

private:
  std::filesystem::path file(const char* name) const;
  void take_settings();
  std::vector<instance_view> look(steady::time_point now);
  instance_fact fact_of(const instance_view& view, steady::time_point now) const;
  void act(const decision& made);
  void carry_out(const rebalancer::orders& orders);
  void show(const decision& made, const std::vector<instance_view>& views, steady::time_point now);

  scaler_brain_options options_;
  scaler_options set_;
  web_classifier classifier_;
  policy policy_;
  rebalancer rebalancer_;
  decision_log log_;
  journal decisions_;
  journal ticks_;
  scaler_metrics metrics_;
  std::map<std::string, web_sample> last_;
};

} // namespace caf_app::scaler
