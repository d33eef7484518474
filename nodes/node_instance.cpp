#include "nodes/node.hpp"

#include "actors/scaler/scaler_config.hpp"
#include "caf_app/cluster_client.hpp"
#include "caf_app/process/launcher.hpp"

namespace caf_app {

// An instance proves itself as its node does: links take the certificate of `n` for `n.2` too.
caf::error node::join_as_instance() {
  const auto& section = config_->cluster.cluster;
  if (!config_->node->link || !has_links(config_->cluster))
    return caf::none;
  cluster_client_options options;
  auto keys = read_link_keys(section, config_->node->name);
  if (!keys)
    return std::move(keys.error());
  options.certificates = std::move(keys->certificates);
  options.secret = std::move(keys->secret);
  options.cluster = section.name;
  options.name = config_->instance;
  options.roles = {"instance"};
  if (const auto ports = scaler::parse_port_range(config_->scaler.instance_ports))
    options.source = dial_source{config_->node->link_listen ? "" : config_->node->link->host,
                                 ports->first, ports->second};
  for (const auto& each : config_->cluster.nodes)
    if (each.link)
      options.peers.emplace(each.name, to_string(*each.link));
  auto joined = join_cluster(*app_, std::move(options));
  if (!joined)
    return std::move(joined.error());
  children_.push_back(std::move(joined->spec));
  leave_ = std::move(joined->leave);
  return caf::none;
}

void node::start_scaler() {
  node_scaler_options options;
  options.name = options_.name;
  options.config_file = options_.config_file;
  options.overrides = options_.overrides;
  options.host = app_.get();
  options.web = web_;
  options.loop = app_->loops().back();
  options.config = config_;
  options.life = {[this] { return reload(); },
                  [books = app_->books()] { return books->exposition(); }};
  if (!config_->instance.empty())
    children_.push_back(instance_supervisor(options));
  if (!config_->instance.empty() || !config_->scaler.enabled)
    return;
  const auto decides = config_->node->has(node_role::scaler);
  eval_scaler_ = std::make_unique<node_eval_scaler>(app_.get(), config_);
  options.evaluators = eval_scaler_->pressure();
  auto children = eval_scaler_->children();
  if (decides)
    for (auto& child : remote_scalers(options, remote_boards_))
      children.push_back(std::move(child));
  if (web_ && (decides || is_lent(config_->cluster, *config_->node))) {
    scaler_ = std::make_unique<node_scaler>(std::move(options));
    children_.push_back(scaler_->launcher_spec());
    for (auto& child : decides ? scaler_->own_children() : scaler_->lent_children())
      children.push_back(std::move(child));
  }
  if (!children.empty())
    children_.push_back(scaler_supervisor(std::move(children)));
}

const std::string& node::own_name() const {
  return config_->instance.empty() ? options_.name : config_->instance;
}

std::vector<event_loop*> node::service_loops() const {
  const auto loops = app_->loops();
  return has_service_loop(*config_) ? std::vector{loops.back()} : loops;
}

caf::expected<node_config_ptr> node::read_config() const {
  auto config = read_node_config(options_.config_file, options_.overrides, options_.name);
  return config && !config_->instance.empty() ? as_instance(**config, config_->instance) : config;
}

} // namespace caf_app
