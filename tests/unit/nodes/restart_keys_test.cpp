#define CAF_SUITE restart_keys
#include "nodes/restart_keys.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/config_toml.hpp"

using namespace caf_app;

namespace {

std::string changed(const std::string& running, const std::string& fresh,
                    const std::string& node = "a") {
  std::string result;
  for (const auto& key : restart_keys(*parse_toml(running, "old"), *parse_toml(fresh, "new"), node))
    result += (result.empty() ? "" : ", ") + key;
  return result;
}

const std::string two = "[[node]]\nname = \"a\"\nroles = [\"http\"]\nadmin = \"127.0.0.1:1\"\n"
                        "[[node]]\nname = \"b\"\nlink = \"127.0.0.1:2\"\n";

} // namespace

CAF_TEST(a file without changes needs no restart) {
  CAF_CHECK_EQUAL(changed("", ""), "");
  CAF_CHECK_EQUAL(changed(two, "\n\n" + two), "");
}

CAF_TEST(sections that are read at the start are named by their keys) {
  CAF_CHECK_EQUAL(changed("[cluster]\nname = \"x\"\nheartbeat = \"500ms\"",
                          "[cluster]\nname = \"x\"\nheartbeat = \"400ms\""),
                  "cluster.heartbeat");
  CAF_CHECK_EQUAL(changed("", "[log]\nlevel = \"debug\"\n[eval]\nworkers = 2\n[admin]\ntoken = "
                              "\"x\"\n[shutdown]\nhard_deadline = \"9s\""),
                  "admin.token, eval.workers, log.level, shutdown.hard_deadline");
}

CAF_TEST(what a reload carries out is not named) {
  CAF_CHECK_EQUAL(changed("[http]\nserver = \"a\"\nloops = 1\n[scaler]\nup = 0.5",
                          "[http]\nserver = \"b\"\nloops = 1\n[scaler]\nup = 0.6\n[[http.site]]"),
                  "");
  CAF_CHECK_EQUAL(changed("[cluster.tls]\ncert = \"a\"", "[cluster.tls]\ncert = \"b\""), "");
  CAF_CHECK_EQUAL(changed("", "[cluster.tls]\ncert = \"b\""), "cluster.tls");
}

CAF_TEST(some keys of the web tier and the scaler wait for a restart) {
  CAF_CHECK_EQUAL(changed("[http]\nloops = 1\naccess_log = \"x\"",
                          "[http]\nloops = 2\n[http.limits]\ndrain_deadline = \"1s\"\n[scaler]\n"
                          "enabled = false"),
                  "http.access_log, http.limits.drain_deadline, http.loops, scaler.enabled");
}

CAF_TEST(of a node its own entry counts and the links of all) {
  auto fresh = two;
  fresh.replace(fresh.find("[\"http\"]"), 8, "[\"http\", \"scaler\"]");
  CAF_CHECK_EQUAL(changed(two, fresh), "node.roles");
  CAF_CHECK_EQUAL(changed(two, fresh, "b"), "");
  fresh.replace(fresh.find("0.1:1"), 5, "0.1:3");
  CAF_CHECK_EQUAL(changed(two, fresh), "node.admin, node.roles");
  CAF_CHECK_EQUAL(changed(two, two + "[[node]]\nname = \"c\"\nlink = \"127.0.0.1:4\""),
                  "node.link of c");
  CAF_CHECK_EQUAL(changed(two, two.substr(0, two.find("link"))), "node.link of b");
  CAF_CHECK_EQUAL(changed(two, two.substr(0, two.find("link")), "b"), "node.link");
}
