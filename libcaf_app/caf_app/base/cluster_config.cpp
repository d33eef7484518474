#include "caf_app/base/cluster_config.hpp"

#include <algorithm>
#include <map>

#include "caf_app/base/config_schema.hpp"

namespace caf_app {

namespace {

using namespace std::chrono_literals;

/// Roles that are written twice are a slip of the pen, and usually another one was meant.
void check_roles(const config_value& table, node_section& node, config_report& report) {
  auto roles = node.roles;
  std::sort(roles.begin(), roles.end());
  if (std::adjacent_find(roles.begin(), roles.end()) != roles.end())
    report.add(table.find("roles")->at, "found a role twice");
}

config_rule<std::vector<node_section>> nodes_rule() {
  const auto role = as_choice<node_role>({{"http", node_role::http},
                                          {"eval", node_role::eval},
                                          {"scaler", node_role::scaler},
                                          {"demo", node_role::demo}});
  config_schema<node_section> schema{"[node]"};
  schema
      .key("name", &node_section::name, as_name(), "unique in the file", config_presence::required)
      .key("link", &node_section::link, as_optional(as_peer_address()),
           "where other nodes connect; a name is looked up by each of them")
      .key("link_listen", &node_section::link_listen, as_optional(as_listen_address()),
           "where the node itself listens for that; by default at the address of link")
      .key("admin", &node_section::admin, as_optional(as_listen_address()),
           "where the admin listener listens; none without it")
      .key("roles", &node_section::roles, as_list(role), "what the node runs")
      .check(check_roles);
  return as_list(as_table(std::move(schema)));
}

config_rule<log_section> log_rule() {
  config_schema<log_section> schema{"log"};
  schema
      .key("format", &log_section::format,
           as_choice<log_format>({{"text", log_format::text}, {"json", log_format::json}}),
           "how a line looks")
      .key("level", &log_section::level,
           as_choice<log_level>({{"debug", log_level::debug},
                                 {"info", log_level::info},
                                 {"warning", log_level::warning},
                                 {"error", log_level::error},
                                 {"off", log_level::off}}),
           "lines below it are dropped");
  return as_table(std::move(schema));
}

config_rule<shutdown_section> shutdown_rule() {
  config_schema<shutdown_section> schema{"shutdown"};
  schema
      .key("phase_timeout", &shutdown_section::phase_timeout, as_duration(100ms, 1h),
           "how long a phase may take that has no timeout of its own")
      .key("hard_deadline", &shutdown_section::hard_deadline, as_duration(1s, 24h),
           "then the process ends, whoever is left")
      .check([](const config_value& table, shutdown_section& out, config_report& report) {
        if (out.phase_timeout >= out.hard_deadline)
          report.add(table.at, "expected phase_timeout below hard_deadline");
      });
  return as_table(std::move(schema));
}

config_rule<admin_section> admin_rule() {
  config_schema<admin_section> schema{"admin"};
  schema.key("token", &admin_section::token, as_secret(limits::admin::token_bytes_min),
             "what requests carry as bearer token; without it only loopback is listened at");
  return as_table(std::move(schema));
}

/// Relations between nodes: names and addresses are taken once; an open address needs a token.
class node_checker {
public:
  node_checker(const config_value& list, const admin_section& admin, config_report& report)
      : list_(list), admin_(admin), report_(report) {}

  void check(const std::vector<node_section>& nodes) {
    const auto& tables = *list_.as_array(); // as many as nodes: they were read
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto& node = nodes[i];
      take(*tables[i].find("name"), "name", node.name, node.name);
      if (node.link)
        take(*tables[i].find("link"), "address", to_string(*node.link), node.name);
      if (node.link_listen)
        check_link_listen(*tables[i].find("link_listen"), node);
      if (node.admin)
        check_admin(*tables[i].find("admin"), node);
    }
    if (nodes.size() > limits::config::nodes_max)
      report_.add(list_.at, "found " + std::to_string(nodes.size()) + " nodes, expected at most " +
                                std::to_string(limits::config::nodes_max));
  }

private:
  void check_link_listen(const config_value& value, const node_section& node) {
    if (!node.link)
      report_.add(value.at, "expected \"link\" beside it: where other nodes connect");
    else if (node.link_listen->port == 0)
      report_.add(value.at, "found " + describe(value) + ", expected a port above 0");
  }

  void check_admin(const config_value& value, const node_section& node) {
    if (node.admin->port != 0)
      take(value, "address", to_string(*node.admin), node.name);
    if (!is_loopback(*node.admin) && admin_.token.empty())
      report_.add(value.at, "found " + describe(value) +
                                ", expected a loopback address such as \"127.0.0.1:7901\", or "
                                "admin.token to be set");
  }

  void take(const config_value& value, const std::string& what, const std::string& text,
            const std::string& node) {
    const auto [taken, fresh] = taken_.try_emplace(what + " " + text, node);
    if (!fresh)
      report_.add(value.at, "the " + what + " \"" + text + "\" is already used by the node \"" +
                                taken->second + "\"");
  }

  const config_value& list_;
  const admin_section& admin_;
  config_report& report_;
  std::map<std::string, std::string> taken_;
};

/// A section of the reference.
template <class T>
config_key section(std::string name, std::string meaning, const config_rule<T>& rule) {
  return {std::move(name), rule.type, "", std::move(meaning), rule.keys};
}

} // namespace

std::string to_string(node_role role) {
  switch (role) {
    case node_role::http: return "http";
    case node_role::eval: return "eval";
    case node_role::scaler: return "scaler";
    case node_role::demo: return "demo";
  }
  return "";
}

bool node_section::has(node_role role) const {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

quorum_choice cluster_config::quorum() const {
  const auto linked =
      std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.link; });
  return cluster.quorum.value_or(linked > 2 ? quorum_choice::majority : quorum_choice::none);
}

const node_section* cluster_config::find_node(std::string_view name) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [name](const node_section& node) { return node.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

void read_cluster_config(config_file& file, cluster_config& out) {
  file.read("cluster", cluster_section_rule(), out.cluster);
  file.read("node", nodes_rule(), out.nodes);
  file.read("log", log_rule(), out.log);
  file.read("shutdown", shutdown_rule(), out.shutdown);
  file.read("admin", admin_rule(), out.admin);
  if (out.cluster.data_dir.is_relative())
    out.cluster.data_dir = (file.report().folder() / out.cluster.data_dir).lexically_normal();
  if (!out.nodes.empty())
    node_checker{*file.find("node"), out.admin, file.report()}.check(out.nodes);
}

std::vector<config_key> cluster_config_keys() {
  return {section("cluster", "what all nodes share", cluster_section_rule()),
          section("node", "one per node", nodes_rule()),
          section("log", "lines on stderr", log_rule()),
          section("shutdown", "stopping a node", shutdown_rule()),
          section("admin", "the admin listener of a node", admin_rule())};
}

} // namespace caf_app
