#define CAF_SUITE cluster_config
#include "caf_app/base/cluster_config.hpp"

#include <caf/test/unit_test.hpp>

#include "support/config_reading.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

using reading = caf_app::test::config_reading<cluster_config>;

reading read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  return caf_app::test::read_config<cluster_config>(text, overrides, read_cluster_config);
}

const std::string prefix = "invalid configuration: ";

} // namespace

CAF_TEST(the sections of a cluster file are read) {
  const auto [value, error] = read(R"(
[cluster]
name = "demo"
secret_file = "var/cluster.key"
data_dir = "/srv/data"

[[node]]
name = "edge-1"
link = "127.0.0.1:7101"
admin = "127.0.0.1:7901"
roles = ["http", "scaler"]

[[node]]
name = "eval-1"
link = "127.0.0.1:7102"
admin = "127.0.0.1:0"
roles = ["eval", "demo"]

[log]
format = "json"
level = "warning"

[shutdown]
phase_timeout = "1s"
hard_deadline = "2s"
)");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK_EQUAL(value.cluster.name, "demo");
  CAF_CHECK_EQUAL(value.cluster.secret_file.string(), "/etc/app/var/cluster.key");
  CAF_CHECK_EQUAL(value.node_dir("edge-1").string(), "/srv/data/edge-1");
  CAF_REQUIRE_EQUAL(value.nodes.size(), 2u);
  const auto* edge = value.find_node("edge-1");
  CAF_REQUIRE(edge);
  CAF_CHECK_EQUAL(to_string(*edge->link), "127.0.0.1:7101");
  CAF_CHECK_EQUAL(to_string(*edge->admin), "127.0.0.1:7901");
  CAF_CHECK(edge->has(node_role::http) && edge->has(node_role::scaler));
  CAF_CHECK(!edge->has(node_role::eval) && !edge->has(node_role::demo));
  CAF_CHECK(value.log.format == log_format::json);
  CAF_CHECK(value.log.level == log_level::warning);
  CAF_CHECK(value.shutdown.hard_deadline == 2s);
  CAF_CHECK(!value.find_node("edge"));
}

CAF_TEST(an empty file has defaults and no nodes) {
  const auto [value, error] = read("");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK(value.nodes.empty());
  CAF_CHECK_EQUAL(value.cluster.data_dir.string(), "/etc/app/var");
  CAF_CHECK_EQUAL(value.cluster.secret_file.string(), "");
  CAF_CHECK(value.log.format == log_format::text);
  CAF_CHECK(value.shutdown.hard_deadline == limits::shutdown::hard_deadline);
}

CAF_TEST(a node needs no addresses) {
  const auto [value, error] = read("[[node]]\nname = \"a\"");
  CAF_CHECK_EQUAL(error, "");
  CAF_REQUIRE_EQUAL(value.nodes.size(), 1u);
  CAF_CHECK(!value.nodes[0].link);
  CAF_CHECK(!value.nodes[0].admin);
}

CAF_TEST(broken sections are refused with their place) {
  const std::string node = "[[node]]\nname = \"a\"\n";
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[[node]]\n", "1:1: key \"name\" is missing in [[node]], expected name"},
      {"[node]\nname = \"a\"", "1:1: found a table, expected a list of table"},
      {"[[node]]\nname = \"a b\"",
       "2:8: found the string \"a b\", expected a name of at most 64 letters, digits, \"-\", \"_\" "
       "and \".\", starting with a letter or digit"},
      {node + "roles = [\"http\", \"web\"]",
       "3:18: found the string \"web\", expected \"http\", \"eval\", \"scaler\" or \"demo\""},
      {node + "roles = [\"http\", \"http\"]", "3:9: found a role twice"},
      {node + "link = \"7101\"", "3:8: found the string \"7101\", expected \"host:port\" such as "
                                 "\"127.0.0.1:7101\" or \"[::1]:7101\""},
      {node + "link = \"a:0\"", "3:8: found the string \"a:0\", expected \"host:port\" such as "
                                "\"127.0.0.1:7101\" or \"[::1]:7101\""},
      {node + node, "4:8: the name \"a\" is already used by the node \"a\""},
      {node + "link = \"h:1\"\n[[node]]\nname = \"b\"\nlink = \"h:1\"",
       "6:8: the address \"h:1\" is already used by the node \"a\""},
      {node + "link = \"127.0.0.1:1\"\nadmin = \"127.0.0.1:1\"",
       "4:9: the address \"127.0.0.1:1\" is already used by the node \"a\""},
      {node + "admin = \"0.0.0.0:7901\"",
       "3:9: found the string \"0.0.0.0:7901\", expected a loopback address such as "
       "\"127.0.0.1:7901\", or admin.token to be set"},
      {"[log]\nlevel = \"trace\"", "2:9: found the string \"trace\", expected \"debug\", \"info\", "
                                   "\"warning\", \"error\" or \"off\""},
      {"[log]\nlvl = \"info\"",
       "2:1: unknown key \"lvl\" in [log], expected \"format\" or \"level\""},
      {"[admin]\ntoken = \"short\"",
       "2:9: expected a string of at least 16 bytes, or an empty one"},
      {"[shutdown]\nphase_timeout = \"1m\"", "1:1: expected phase_timeout below hard_deadline"},
      {"[cluster]\nsecret = \"x\"", "2:1: unknown key \"secret\" in [cluster]"},
      {"[cluster]\nheartbeet = \"1s\"",
       "2:1: unknown key \"heartbeet\" in [cluster]; did you mean \"heartbeat\"?"},
      {"[https]\n", "1:2: unknown key \"https\" in the file, expected \"cluster\", \"node\", "
                    "\"log\", \"shutdown\" or \"admin\""},
  };
  for (const auto& [text, complaint] : rows)
    CAF_CHECK_EQUAL(read(text).error, prefix + "f.toml:" + complaint);
}

CAF_TEST(a token opens the admin listener to other hosts) {
  const auto open = read("[[node]]\nname = \"a\"\nadmin = \"0.0.0.0:1\"\n[admin]\ntoken = "
                         "\"0123456789abcdef\"");
  CAF_CHECK_EQUAL(open.error, "");
  const auto by_option =
      read("[[node]]\nname = \"a\"\nadmin = \"0.0.0.0:1\"", {"admin.token=0123456789abcdef"});
  CAF_CHECK_EQUAL(by_option.error, "");
}

CAF_TEST(two admin listeners may leave their ports to the system) {
  CAF_CHECK_EQUAL(read("[[node]]\nname = \"a\"\nadmin = \"127.0.0.1:0\"\n"
                       "[[node]]\nname = \"b\"\nadmin = \"127.0.0.1:0\"")
                      .error,
                  "");
}

CAF_TEST(a name has a longest length) {
  const auto text = [](size_t size) {
    return "[[node]]\nname = \"" + std::string(size, 'a') + "\"";
  };
  const auto max = limits::config::name_bytes_max;
  CAF_CHECK_EQUAL(read(text(max - 1)).error, "");
  CAF_CHECK_EQUAL(read(text(max)).error, "");
  CAF_CHECK_NOT_EQUAL(read(text(max + 1)).error, "");
}

CAF_TEST(a cluster has a largest number of nodes) {
  const auto text = [](size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i)
      result += "[[node]]\nname = \"n" + std::to_string(i) + "\"\n";
    return result;
  };
  const auto max = limits::config::nodes_max;
  CAF_CHECK_EQUAL(read(text(max - 1)).error, "");
  CAF_CHECK_EQUAL(read(text(max)).error, "");
  CAF_CHECK_EQUAL(read(text(max + 1)).error,
                  prefix + "f.toml:1:1: found 1025 nodes, expected at most 1024");
}

CAF_TEST(the reference has every section with defaults) {
  const auto sections = cluster_config_keys();
  CAF_REQUIRE_EQUAL(sections.size(), 5u);
  CAF_CHECK_EQUAL(sections[0].name, "cluster");
  CAF_REQUIRE_EQUAL(sections[0].keys.size(), 16u);
  CAF_CHECK_EQUAL(sections[0].keys[2].fallback, "\"var\"");
  CAF_CHECK_EQUAL(sections[1].keys[0].fallback, "required");
  CAF_CHECK_EQUAL(sections[3].keys[1].fallback, "\"1m\"");
}
