#include "nodes/start_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "actors/eval/eval_supervisor.hpp"
#include "actors/http/certificates_actor.hpp"
#include "actors/http/file_finder_handler.hpp"
#include "actors/http/upstream_plan_handler.hpp"
#include "caf_app/base/error.hpp"
#include "nodes/config_place.hpp"
#include "nodes/local_nodes.hpp"
#include "nodes/node_cluster.hpp"

namespace caf_app {

namespace {

caf::error at(const node_config& config, const std::string& path, const caf::error& why) {
  return at_place(find_at(config.written.get(), path), why);
}

/// Without a node those of this host count; if there is none of them, whatever the file names.
caf::error check_keys(const node_config& config) {
  const auto& section = config.cluster.cluster;
  std::vector<std::string> names;
  for (const auto* node : config.node ? std::vector{config.node} : local_nodes(config.cluster))
    if (node->link)
      names.push_back(node->name);
  if (names.empty() && !is_of_each_node(section.tls))
    names.emplace_back();
  for (const auto& name : names)
    if (auto keys = read_link_keys(section, name); !keys)
      return at(config, section.tls.used() ? "cluster.tls" : "cluster.secret_file", keys.error());
  return caf::none;
}

caf::error check_link(const node_config& config) {
  const auto& nodes = config.cluster.nodes;
  const auto index = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const auto& node) { return &node == config.node; }) -
                     nodes.begin();
  return at(config, "node." + std::to_string(index) + ".link", check_link_address(*config.node));
}

caf::error check_evaluator(const node_config& config) {
  auto one = config.eval;
  one.state_key_file.clear();
  if (auto err = eval::evaluator::check(one))
    return at(config, "eval.tokens_file", err);
  return at(config, "eval.state_key_file", eval::evaluator::check(config.eval));
}

caf::error check_upstream(const node_config& config, size_t i) {
  const auto path = "http.upstream." + std::to_string(i);
  http::http_config one;
  one.upstream.push_back(config.http->upstream[i]);
  const auto servers = one.upstream[0].servers;
  for (size_t j = 0; j < servers.size(); ++j) {
    one.upstream[0].servers = {servers[j]};
    one.upstream[0].servers[0].scheme = http::upstream_scheme::http; // its name alone
    if (auto err = http::verify_upstreams(one))
      return at(config, path + ".servers." + std::to_string(j), err);
  }
  one.upstream[0].servers = servers;
  const auto has_ca = !one.upstream[0].ca.empty();
  return at(config, has_ca ? path + ".ca" : path, http::verify_upstreams(one));
}

/// Unlike the start this leaves no empty file.
caf::error check_access_log(const std::string& path) {
  if (path.empty() || path == "-")
    return caf::none;
  struct stat found {};
  const auto there = ::stat(path.c_str(), &found) == 0;
  const auto folder = std::filesystem::path{path}.parent_path();
  if (there && S_ISDIR(found.st_mode))
    errno = EISDIR;
  else if (there ? ::access(path.c_str(), W_OK) == 0 : ::access(folder.c_str(), W_OK | X_OK) == 0)
    return caf::none;
  return caf::make_error(errc::start_failed, "access log " + path + ": " + std::strerror(errno));
}

caf::error check_web(const node_config& config) {
  const auto& web = *config.http;
  for (size_t i = 0; i < web.upstream.size(); ++i)
    if (auto err = check_upstream(config, i))
      return err;
  for (size_t i = 0; i < web.site.size(); ++i)
    for (size_t j = 0; j < web.site[i].route.size(); ++j)
      if (const auto& route = web.site[i].route[j]; route.kind == http::route_kind::files)
        if (auto err = http::check_root(route.files.root))
          return at(config,
                    "http.site." + std::to_string(i) + ".route." + std::to_string(j) + ".files",
                    err);
  if (auto certificates = http::certificates::make(web, {}); !certificates)
    return std::move(certificates.error());
  return at(config, "http.access_log", check_access_log(web.access_log));
}

} // namespace

caf::error check_start(const node_config& config) {
  const auto& nodes = config.cluster.nodes;
  const auto any = [&](const std::function<bool(const node_section&)>& holds) {
    return config.node ? holds(*config.node) : std::any_of(nodes.begin(), nodes.end(), holds);
  };
  if (has_links(config.cluster) && any([](const auto& node) { return node.link.has_value(); }))
    if (auto err = check_keys(config))
      return err;
  if (has_links(config.cluster) && config.instance.empty() && config.node && config.node->link)
    if (auto err = check_link(config))
      return err;
  if (any([&](const auto& node) { return has_evaluator(config.cluster, node); }))
    if (auto err = check_evaluator(config))
      return err;
  if (any([](const auto& node) { return node.has(node_role::http); }))
    return check_web(config);
  return caf::none;
}

caf::error explained(const node_config& config, caf::error why) {
  auto found = why ? check_start(config) : caf::error{};
  return found ? std::move(found) : std::move(why);
}

} // namespace caf_app
