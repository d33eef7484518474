// The scaler of a node, put together: its board, the fleet of processes, the sensor of the node
// itself, the actor that decides; and the other side, what an instance needs to be part of a fleet.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "actors/scaler/eval_pressure.hpp"
#include "caf_app/app.hpp"
#include "nodes/instance_actor.hpp"
#include "nodes/node_config.hpp"
#include "nodes/process_fleet.hpp"

namespace caf_app {

struct node_scaler_options {
  std::string name;                   ///< of the node
  std::filesystem::path config_file;  ///< that instances read, too
  std::vector<std::string> overrides; ///< handed on to instances
  app* host = nullptr;                ///< outlives the children
  std::shared_ptr<http::http_service> web;
  event_loop* loop = nullptr; ///< not one of the web tier
  node_config_ptr config;
  instance_life life;                                      ///< of an instance
  std::shared_ptr<const scaler::eval_pressure> evaluators; ///< null: none is scaled here
};

class node_scaler {
public:
  explicit node_scaler(node_scaler_options options);

  /// `launcher` in the tree: the processes of the instances.
  child_spec launcher_spec();

  /// What measures this node and decides for its instances.
  std::vector<child_spec> own_children();

  /// What measures this node and lends its instances to the scaler of another one.
  std::vector<child_spec> lent_children();

  const std::shared_ptr<scaler::scaler_board>& board() const noexcept { return board_; }

  /// Any thread; instances read the file themselves.
  void reload(const scaler::scaler_options& options);

  /// Stops all; instances_gone() tells when that is done.
  void stop_instances() { fleet_->nursery()->stop_all(); }
  /// What the instances count.
  const std::shared_ptr<instance_metrics>& metrics() const noexcept { return fleet_->metrics(); }

  bool instances_gone() const { return fleet_->nursery()->idle(); }

private:
  child_spec sensor();

  node_scaler_options options_;
  std::shared_ptr<scaler::scaler_board> board_;
  std::shared_ptr<process_fleet> fleet_;
};

/// The scalers of nodes that lend their instances: each waits in line for the name of its target.
/// @param boards gets one for each, to be configured by a reload
std::vector<child_spec> remote_scalers(const node_scaler_options& options,
                                       std::vector<std::shared_ptr<scaler::scaler_board>>& boards);

/// What the section says on this host.
size_t max_instances_of(const scaler::scaler_options& options);

/// `scaler` in the tree.
child_spec scaler_supervisor(std::vector<child_spec> children);

/// `instance` in the tree of an instance: reads the orders of its parent, sends samples.
child_spec instance_supervisor(const node_scaler_options& options);

} // namespace caf_app
