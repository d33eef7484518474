#include "nodes/node_eval_scaler.hpp"

#include <filesystem>

#include "actors/scaler/eval_keeper_actor.hpp"
#include "actors/scaler/eval_scaler_actor.hpp"
#include "actors/scaler/host_probe.hpp"
#include "nodes/named_child.hpp"
#include "nodes/node_cluster.hpp"

namespace caf_app {

namespace {

/// The name in the cluster that whoever decides for an evaluator has to hold.
std::string eval_target(const std::string& node) { return "scaler.eval." + node; }

/// The name of an eval_keeper_actor.
std::string keeper_name(const std::string& node) { return "fleet.eval." + node; }

/// Evaluators that the scaler of `self` reaches.
std::vector<std::string> targets_of(const node_config& config) {
  std::vector<std::string> result;
  const auto& self = *config.node;
  for (const auto& node : config.cluster.nodes)
    if (node.has(node_role::eval) &&
        (node.name == self.name || (node.link && self.link && has_links(config.cluster))))
      result.push_back(node.name);
  return result;
}

name_scope scope_of(const node_config& config) {
  return config.node->link ? name_scope::cluster : name_scope::node;
}

} // namespace

node_eval_scaler::node_eval_scaler(app* host, node_config_ptr config)
    : host_(host), config_(std::move(config)) {
  const auto& self = *config_->node;
  const auto new_board = [&] {
    boards_.push_back(std::make_shared<scaler::scaler_board>(config_->scaler, size_t{1}));
    return boards_.back();
  };
  if (self.has(node_role::scaler))
    if (const auto targets = targets_of(*config_); !targets.empty()) {
      pressure_ = std::make_shared<scaler::eval_pressure>(targets.size());
      for (size_t i = 0; i < targets.size(); ++i)
        new_board();
    }
  if (self.has(node_role::eval) && is_scaled(config_->cluster, self))
    board_ = new_board();
}

std::vector<child_spec> node_eval_scaler::children() {
  std::vector<child_spec> result;
  if (board_)
    result.push_back(keeper());
  if (pressure_) {
    const auto targets = targets_of(*config_);
    for (size_t i = 0; i < targets.size(); ++i)
      result.push_back(scaler_of(targets[i], i));
  }
  return result;
}

void node_eval_scaler::reload(const scaler::scaler_options& options) {
  for (const auto& board : boards_)
    board->configure(options, 1);
}

child_spec node_eval_scaler::keeper() {
  const auto& node = config_->node->name;
  scaler::eval_keeper_options options;
  options.dispatcher = [names = host_->names(), name = "evaluator.dispatcher." + node] {
    return names->where_is(name);
  };
  options.master = [names = host_->names(), name = eval_target(node)] {
    return names->where_is(name);
  };
  options.board = board_;
  options.host = [probe = std::make_shared<scaler::host_probe>()](steady::time_point now) {
    return probe->sample(now);
  };
  options.times = scaler::read_process_times;
  return named_child(
      host_->names(), keeper_name(node),
      [options](caf::actor_system& system) {
        return system.spawn(scaler::eval_keeper_actor, options);
      },
      scope_of(*config_));
}

child_spec node_eval_scaler::scaler_of(const std::string& node, size_t index) {
  scaler::eval_scaler_options options;
  options.brain.target = "eval/" + node;
  options.brain.board = boards_[index];
  options.brain.books = host_->books();
  options.brain.log = host_->log();
  options.brain.folder = config_->cluster.node_dir(config_->node->name) / eval_target(node);
  std::error_code failed; // then there is no log on disk
  std::filesystem::create_directories(options.brain.folder, failed);
  options.owns = [host = host_, names = host_->names(),
                  name = eval_target(node)](const caf::actor& self) {
    return !host->stopping() && names->where_is(name) == self;
  };
  options.keeper = [names = host_->names(), name = keeper_name(node)] {
    return names->where_is(name);
  };
  options.tell = [pressure = pressure_, index](const scaler::eval_load& load,
                                               steady::time_point now) {
    pressure->note(index, load, now);
  };
  return named_child(
      host_->names(), eval_target(node),
      [options](caf::actor_system& system) {
        return system.spawn(scaler::eval_scaler_actor, options);
      },
      scope_of(*config_));
}

} // namespace caf_app
