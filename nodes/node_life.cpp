// A node while it runs: what it tells about itself, reloads, and the order in which it stops.
#include <unistd.h>

#include <caf/actor_registry.hpp>

#include "caf_app/base/time.hpp"
#include "nodes/node.hpp"
#include "nodes/restart_keys.hpp"
#include "nodes/start_check.hpp"

namespace caf_app {

node_status node::status() const {
  node_status result;
  result.node = own_name();
  result.state = app_->stopping() ? "draining" : "serving";
  for (const auto role : config_->node->roles)
    result.roles.push_back(to_string(role));
  result.addresses = addresses();
  result.pid = ::getpid();
  result.uptime_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_now() - started_).count();
  result.connections = web_ ? web_->connections() : 0;
  result.actors = app_->system().registry().running();
  for (const auto* loop : app_->loops())
    result.loops.push_back(loop->stats());
  return result;
}

caf::error node::reload() {
  auto err = apply_config();
  if (err)
    app_->log()->error(speaker_, "reload refused, the old configuration stays",
                       {{"reason", describe(err)}});
  else
    app_->log()->info(speaker_, "configuration reloaded");
  return err;
}

// The node tells for its instances, which end with it.
void node::tell_restart_keys(const node_config& fresh) const {
  std::string keys;
  if (config_->instance.empty())
    for (const auto& key : restart_keys(*config_->written, *fresh.written, options_.name))
      keys += (keys.empty() ? "" : ", ") + key;
  if (!keys.empty())
    app_->log()->warning(speaker_, "these keys have changed and take effect with a restart only",
                         {{"keys", keys}});
}

caf::error node::apply_config() {
  auto config = read_config();
  if (!config)
    return std::move(config.error());
  if (web_)
    if (auto err = web_->reload((*config)->http))
      return explained(**config, std::move(err));
  if (auto err = cluster_ ? cluster_->reload(**config) : caf::error{})
    return explained(**config, std::move(err));
  if (scaler_)
    scaler_->reload((*config)->scaler);
  if (eval_scaler_)
    eval_scaler_->reload((*config)->scaler);
  for (const auto& board : remote_boards_)
    board->configure((*config)->scaler, board->max_instances()); // that its node tells
  tell_restart_keys(**config);
  return caf::none;
}

void node::add_phases() {
  if (cluster_)
    app_->add_phase(cluster_->announce_phase());
  const auto deadline = config_->instance.empty() ? config_->http->limits.drain_deadline
                                                  : config_->scaler.retire_deadline;
  if (web_)
    app_->add_phase(
        {"draining connections", deadline,
         [this] {
           if (scaler_)
             scaler_->stop_instances();
           web_->drain();
         },
         [this] { return web_->drained() && (!scaler_ || scaler_->instances_gone()); }});
  if (config_->node->has(node_role::eval))
    app_->add_phase({"stop eval", config_->cluster.shutdown.phase_timeout,
                     [this] { evaluator_->drain(); }, [this] { return evaluator_->drained(); }});
  if (cluster_)
    app_->add_phase(cluster_->leave_phase());
  if (leave_)
    app_->add_phase(*leave_);
}

std::vector<std::string> node::addresses() const {
  auto result = web_ ? web_->addresses() : std::vector<std::string>{};
  for (auto& address : admin_->addresses())
    result.push_back(std::move(address));
  return result;
}

} // namespace caf_app
