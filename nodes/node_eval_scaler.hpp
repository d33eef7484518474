// Who scales the workers of evaluators: on a node with the role scaler, one scaler for each
// evaluator that it can reach; on a node with an evaluator, the keeper that measures and obeys.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "actors/scaler/eval_pressure.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "caf_app/app.hpp"
#include "caf_app/supervision/child_spec.hpp"
#include "nodes/node_config.hpp"

namespace caf_app {

/// Boards outlive the actors, so that a restarted one goes on.
class node_eval_scaler {
public:
  /// @param host outlives the children
  node_eval_scaler(app* host, node_config_ptr config);

  /// What belongs below `scaler` in the tree; empty if there is nothing to scale, or nobody who
  /// would.
  std::vector<child_spec> children();

  /// What this node's evaluator is told and has been told; null without one that is scaled.
  const std::shared_ptr<scaler::scaler_board>& board() const noexcept { return board_; }

  /// How full the evaluators are that this node scales; null if it scales none.
  const std::shared_ptr<scaler::eval_pressure>& pressure() const noexcept { return pressure_; }

  /// For the boards of all scalers here. Any thread.
  void reload(const scaler::scaler_options& options);

private:
  child_spec keeper();
  child_spec scaler_of(const std::string& node, size_t index);

  app* host_;
  node_config_ptr config_;
  std::shared_ptr<scaler::scaler_board> board_;
  std::shared_ptr<scaler::eval_pressure> pressure_;
  std::vector<std::shared_ptr<scaler::scaler_board>> boards_; // of the scalers, and board_
};

} // namespace caf_app
