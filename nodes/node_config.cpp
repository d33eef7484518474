#include "nodes/node_config.hpp"

#include <algorithm>

#include "actors/scaler/scaler_config.hpp"
#include "caf_app/base/config.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/units.hpp"
#include "nodes/node_cluster.hpp"

namespace caf_app {

namespace {

std::string names_of(const std::vector<node_section>& nodes) {
  std::string result;
  for (const auto& node : nodes)
    result += (result.empty() ? "" : ", ") + node.name;
  return result.empty() ? "none" : result;
}

// A drain that may take longer than the process is given would be cut short untold.
void check_drain(config_file& source, http::http_limits& limits,
                 std::chrono::milliseconds hard_deadline) {
  const auto* section = source.find("http");
  const auto* table = section ? section->find("limits") : nullptr;
  const auto* written = table ? table->find("drain_deadline") : nullptr;
  if (!written)
    limits.drain_deadline = std::min(limits.drain_deadline, hard_deadline / 2);
  else if (limits.drain_deadline >= hard_deadline)
    source.report().add(written->at,
                        "expected drain_deadline below shutdown.hard_deadline, which is " +
                            format_duration(hard_deadline));
}

/// What is longer than a frame reaches no actor on another node.
void check_actor_bodies(config_file& source, const http::http_config& http,
                        const cluster_config& cluster) {
  const auto frame = cluster.cluster.max_frame;
  for (size_t i = 0; has_links(cluster) && i < http.site.size(); ++i)
    for (size_t j = 0; j < http.site[i].route.size(); ++j) {
      const auto& route = http.site[i].route[j];
      if (route.kind != http::route_kind::actor || !route.own_max_body ||
          *route.own_max_body + http.limits.max_header_bytes <= frame)
        continue;
      const auto& site = (*source.find("http")->find("site")->as_array())[i];
      const auto& written = *(*site.find("route")->as_array())[j].find("max_body");
      source.report().add(written.at, "found " + describe(written) +
                                          ", expected max_body and max_header_bytes of a route "
                                          "with \"actor\" within cluster.max_frame, which is " +
                                          format_size(frame));
    }
}

/// Whether that by which nodes prove themselves is written, but could not be read.
bool has_unread_keys(const config_file& source, const cluster_config& config) {
  const auto* section = source.find("cluster");
  const auto* secret = section ? section->find("secret_file") : nullptr;
  const auto* tls = section ? section->find("tls") : nullptr;
  return (secret && !secret->as<std::string>()) || (tls && !config.cluster.tls.used());
}

} // namespace

caf::expected<node_config_ptr> read_node_config(const std::filesystem::path& file,
                                                const std::vector<std::string>& overrides,
                                                const std::string& name) {
  auto source = config_file::load(file, overrides);
  if (!source)
    return std::move(source.error());
  auto result = std::make_shared<node_config>();
  auto http = std::make_shared<http::http_config>();
  read_cluster_config(*source, result->cluster);
  source->read("http", http::http_config_rule(), *http);
  check_drain(*source, http->limits, result->cluster.shutdown.hard_deadline);
  const auto* tables = source->find("node");
  check_actor_bodies(*source, *http, result->cluster);
  const auto links = !has_unread_keys(*source, result->cluster);
  for (size_t i = 0; links && i < result->cluster.nodes.size(); ++i)
    check_links(result->cluster, result->cluster.nodes[i], (*tables->as_array())[i],
                source->report());
  source->read("eval", eval::eval_config_rule(), result->eval);
  source->read("scaler", scaler::scaler_config_rule(), result->scaler);
  if (auto err = source->finish())
    return err;
  result->written = std::make_shared<const config_value>(source->root());
  http::resolve_limits(*http);
  result->http = std::move(http);
  if (name.empty())
    return node_config_ptr{std::move(result)};
  result->node = result->cluster.find_node(name);
  if (!result->node)
    return caf::make_error(errc::invalid_config,
                           file.string() + ": no [[node]] is named \"" + name +
                               "\"; the file has: " + names_of(result->cluster.nodes));
  return node_config_ptr{std::move(result)};
}

bool has_evaluator(const cluster_config& config, const node_section& node) {
  return node.has(node_role::eval) ||
         (node.has(node_role::http) &&
          std::any_of(config.nodes.begin(), config.nodes.end(),
                      [](const auto& other) { return other.has(node_role::eval); }));
}

bool is_scaled(const cluster_config& config, const node_section& node) {
  return node.has(node_role::scaler) ||
         (node.link && has_links(config) &&
          std::any_of(config.nodes.begin(), config.nodes.end(), [](const auto& other) {
            return other.link && other.has(node_role::scaler);
          }));
}

bool is_lent(const cluster_config& config, const node_section& node) {
  return node.has(node_role::http) && !node.has(node_role::scaler) && is_scaled(config, node);
}

bool has_service_loop(const node_config& config) {
  return !config.instance.empty() || config.node->has(node_role::scaler) ||
         (config.scaler.enabled && is_lent(config.cluster, *config.node));
}

caf::expected<node_config_ptr> as_instance(const node_config& parent, const std::string& name) {
  const auto& node = parent.node->name;
  const auto number = name.starts_with(node + ".") ? name.substr(node.size() + 1) : "";
  if (number.empty() || number.front() == '0' ||
      number.find_first_not_of("0123456789") != std::string::npos)
    return caf::make_error(errc::invalid_argument, "found the instance name \"" + name +
                                                       "\", expected \"" + node + ".<number>\"");
  if (!parent.node->has(node_role::http))
    return caf::make_error(errc::invalid_argument,
                           "the node \"" + node + "\" has no instances: it has no role http");
  auto result = std::make_shared<node_config>(parent);
  result->instance = name;
  const auto found = std::find_if(result->cluster.nodes.begin(), result->cluster.nodes.end(),
                                  [&](const auto& each) { return each.name == node; });
  found->roles = {node_role::http};
  found->admin.reset();
  result->cluster.cluster.basp_gateway.reset();
  result->node = &*found;
  return node_config_ptr{std::move(result)};
}

} // namespace caf_app
