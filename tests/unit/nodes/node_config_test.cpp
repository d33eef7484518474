#define CAF_SUITE node_config
#include "nodes/node_config.hpp"

#include <fstream>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app;

namespace {

constexpr auto two_nodes = R"(
[[node]]
name = "edge-1"
roles = ["http"]
[[node]]
name = "edge-2"
roles = ["demo"]
[http]
listen = ["127.0.0.1:0"]
[[http.site]]
host = "*"
[[http.site.route]]
path = "/x"
actor = "x"
[[http.site.route]]
path = "/y"
respond = {body = "y"}
)";

struct fixture {
  caf::expected<node_config_ptr> read(const std::string& text, const std::string& name,
                                      const std::vector<std::string>& overrides = {}) {
    std::ofstream{file} << text;
    return read_node_config(file, overrides, name);
  }

  std::string complaint(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides = {}) {
    const auto result = read(text, name, overrides);
    CAF_REQUIRE(!result);
    CAF_CHECK_EQUAL(code_of(result.error()), errc::invalid_config);
    return describe(result.error());
  }

  scratch_folder folder;
  const std::string file = folder / "cluster.toml";
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(node_config_tests, fixture)

  CAF_TEST(a node finds its own section) {
    const auto config = read(two_nodes, "edge-2");
    CAF_REQUIRE(config);
    CAF_REQUIRE((*config)->node);
    CAF_CHECK_EQUAL((*config)->node->name, "edge-2");
    CAF_CHECK((*config)->node->has(node_role::demo));
    CAF_CHECK((*config)->node == (*config)->cluster.find_node("edge-2"));
  }

  CAF_TEST(without a name every node may read the file) {
    const auto config = read(two_nodes, "");
    CAF_REQUIRE(config);
    CAF_CHECK(!(*config)->node);
  }

  CAF_TEST(a node that is not in the file is told who is) {
    const auto text = complaint(two_nodes, "edge-3");
    CAF_CHECK(text.find("no [[node]] is named \"edge-3\"; the file has: edge-1, edge-2") !=
              text.npos);
    CAF_CHECK(complaint("", "edge-3").find("the file has: none") != std::string::npos);
  }

  CAF_TEST(routes have their effective limits) {
    const auto config = read(two_nodes, "");
    CAF_REQUIRE(config);
    const auto& routes = (*config)->http->site.at(0).route;
    CAF_CHECK_EQUAL(routes.at(0).max_body, limits::http::body_bytes_actor);
    CAF_CHECK_EQUAL(routes.at(1).max_body, limits::http::body_bytes);
  }

  CAF_TEST(a drain has to end before the process) {
    const auto text = [](const char* drain, const char* hard) {
      return "[http.limits]\ndrain_deadline = \"" + std::string{drain} +
             "\"\n[shutdown]\nphase_timeout = \"1s\"\nhard_deadline = \"" + hard + "\"\n";
    };
    CAF_CHECK(read(text("9999ms", "10s"), ""));
    for (const auto* late : {"10s", "10001ms"})
      CAF_CHECK(complaint(text(late, "10s"), "").find("cluster.toml:2:") != std::string::npos);
    CAF_CHECK(complaint(text("10s", "10s"), "")
                  .find("expected drain_deadline below shutdown.hard_deadline, which is 10s") !=
              std::string::npos);
    const auto unwritten =
        read("[shutdown]\nphase_timeout = \"1s\"\nhard_deadline = \"10s\"\n", "");
    CAF_REQUIRE(unwritten);
    CAF_CHECK((*unwritten)->http->limits.drain_deadline == std::chrono::seconds{5});
    CAF_CHECK(read(two_nodes, "").operator*()->http->limits.drain_deadline ==
              limits::http::drain_deadline);
  }

  CAF_TEST(a body for an actor on another node has to fit a message) {
    const auto text = [](const char* body, const char* cluster) {
      return "[cluster]\nmax_frame = \"2MiB\"\n" + std::string{cluster} +
             "\n[[http.site]]\nhost = \"*\"\n[[http.site.route]]\npath = \"/x\"\nactor = "
             "\"x\"\nmax_body = \"" +
             body + "\"\n";
    };
    const auto* links = "secret_file = \"key\"";
    CAF_CHECK(read(text("2016KiB", links), ""));
    CAF_CHECK(complaint(text("2017KiB", links), "")
                  .ends_with("cluster.toml:9:12: found the string \"2017KiB\", expected max_body "
                             "and max_header_bytes of a route with \"actor\" within "
                             "cluster.max_frame, which is 2MiB"));
    CAF_CHECK(read(text("64MiB", ""), "")); // nobody else is there
  }

  CAF_TEST(keys of links that cannot be read are not said to be missing) {
    const std::string nodes = "[[node]]\nname = \"a\"\nlink = \"127.0.0.1:1\"\n[[node]]\nname = "
                              "\"b\"\nlink = \"127.0.0.1:2\"\n";
    CAF_CHECK(complaint(nodes, "").find("needs cluster.secret_file") != std::string::npos);
    for (const auto* bad : {"[cluster]\nsecret_file = 5\n", "[cluster.tls]\nkey = \"k\"\n"})
      CAF_CHECK_EQUAL(complaint(bad + nodes, "").find("needs cluster.secret_file"),
                      std::string::npos);
  }

  CAF_TEST(an override goes before the file) {
    const auto config = read(two_nodes, "", {"http.server=\"mine\""});
    CAF_REQUIRE(config);
    CAF_CHECK_EQUAL((*config)->http->server, "mine");
  }

  CAF_TEST(a complaint has file and line) {
    CAF_CHECK(complaint("[http]\nloops = 0\n", "").find("cluster.toml:2:") != std::string::npos);
    CAF_CHECK(complaint("[nonsense]\n", "").find("nonsense") != std::string::npos);
    CAF_CHECK(complaint("[http\n", "").find("cluster.toml:1:") != std::string::npos);
  }

  CAF_TEST(a file that is not there is an invalid configuration) {
    const auto result = read_node_config(folder / "none.toml", {}, "");
    CAF_REQUIRE(!result);
    CAF_CHECK(describe(result.error()).find("none.toml") != std::string::npos);
  }

  CAF_TEST(an instance has the web tier of its node and a name of its own) {
    const auto config = read(two_nodes, "edge-1");
    CAF_REQUIRE(config);
    const auto instance = as_instance(**config, "edge-1.2");
    CAF_REQUIRE(instance);
    CAF_CHECK_EQUAL((*instance)->instance, "edge-1.2");
    CAF_CHECK_EQUAL((*instance)->node->name, "edge-1");
    CAF_CHECK_EQUAL((*instance)->node->roles.size(), 1u);
    CAF_CHECK(!(*instance)->node->admin);
    CAF_CHECK(config->get()->http == instance->get()->http);
    for (const auto* bad :
         {"edge-1", "edge-1.", "edge-1.x", "edge-1.02", "edge-2.2", "edge-1.2.3", ""})
      CAF_CHECK(!as_instance(**config, bad));
  }

  CAF_TEST(the scaler section is read) {
    const auto config = read(std::string{two_nodes} + "[scaler]\nmax_instances = 4\n", "edge-1");
    CAF_REQUIRE(config);
    CAF_CHECK_EQUAL((*config)->scaler.max_instances, 4u);
    CAF_CHECK(complaint("[scaler]\nmax_instance = 4\n", "").find("max_instances") !=
              std::string::npos);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
