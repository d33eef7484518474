#define CAF_SUITE admin_json
#include "nodes/admin_json.hpp"

#include <boost/json.hpp>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace json = boost::json;

namespace {

std::string asked(const std::string& text) {
  const auto request = request_of(text);
  return request ? request->method + " " + request->params : to_string(code_of(request.error()));
}

} // namespace

CAF_TEST(a status has a member per fact) {
  node_status status;
  status.node = "edge-1";
  status.state = "serving";
  status.roles = {"http", "demo"};
  status.addresses = {"127.0.0.1:80"};
  status.pid = 7;
  status.uptime_ms = 1500;
  status.connections = 2;
  status.actors = 9;
  auto& loop = status.loops.emplace_back();
  loop.age = 4s;
  loop.waited = 3s;
  loop.lag_recent = 2ms;
  loop.sockets = 5;
  CAF_CHECK_EQUAL(json::serialize(to_json(status)),
                  R"({"node":"edge-1","state":"serving","roles":["http","demo"],)"
                  R"("addresses":["127.0.0.1:80"],"pid":7,"uptime_ms":1500,"connections":2,)"
                  R"("actors":9,"loops":[{"busy":2.5E-1,"lag_ms":2E0,"sockets":5}]})");
}

CAF_TEST(a loop that has just started is not busy) {
  node_status status;
  status.loops.emplace_back();
  const auto value = to_json(status);
  CAF_CHECK_EQUAL(value.at("loops").at(0).at("busy").as_double(), 0.0);
}

CAF_TEST(a node knows of itself whether it has a quorum) {
  cluster_view cluster;
  cluster.nodes.resize(2);
  cluster.nodes[0].health = "self";
  const auto value = to_json(cluster);
  CAF_CHECK(value.at(0).at("quorate") == json::value(true)); // and no list of one
  CAF_CHECK(value.at(1).at("quorate").is_null());
}

CAF_TEST(names and groups are arrays of objects) {
  CAF_CHECK_EQUAL(json::serialize(to_json(std::vector<name_info>{{"a", 3, 40}})),
                  R"([{"name":"a","actor":3,"held_ms":40}])");
  CAF_CHECK_EQUAL(json::serialize(to_json(std::vector<group_info>{{"g", {1, 2}}, {"h", {}}})),
                  R"([{"group":"g","members":[1,2]},{"group":"h","members":[]}])");
  CAF_CHECK_EQUAL(json::serialize(to_json(std::vector<name_info>{})), "[]");
}

CAF_TEST(a node tells of its own quorum and of no other) {
  cluster_view cluster;
  cluster.quorate = false;
  cluster.nodes.resize(2);
  cluster.nodes[0].health = "self";
  cluster.nodes[1].health = "reachable";
  const auto value = to_json(cluster);
  CAF_CHECK_EQUAL(json::serialize(value.at(0).at("quorate")), "false");
  CAF_CHECK(value.at(1).at("quorate").is_null());
}

CAF_TEST(an entry of the tree tells the age of its actor) {
  tree_entry entry;
  entry.path = "root/a";
  entry.kind = child_kind::supervisor;
  entry.state = tree_state::running;
  entry.restarts = 2;
  entry.actor_id = 5;
  entry.started_at = steady::time_point{10s};
  entry.last_end = "killed";
  const auto text = json::serialize(to_json({entry}, steady::time_point{12s}));
  CAF_CHECK_EQUAL(text, R"([{"path":"root/a","kind":"supervisor","state":"running","actor":5,)"
                        R"("restarts":2,"uptime_ms":2000,"last_end":"killed"}])");
}

CAF_TEST(what has no actor has no age) {
  const auto value = to_json({tree_entry{}}, steady::time_point{12s});
  CAF_CHECK_EQUAL(value.at(0).at("uptime_ms").as_int64(), 0);
}

CAF_TEST(an error is a text and a code) {
  CAF_CHECK_EQUAL(error_json("no \"x\"", "not_found"),
                  R"({"error":"no \"x\"","code":"not_found"})");
}

CAF_TEST(an object with a method is that call) {
  CAF_CHECK_EQUAL(asked(R"({"method": "get", "params": [1, 2]})"), "get [1,2]");
  CAF_CHECK_EQUAL(asked(R"({"method": "get"})"), "get null");
}

CAF_TEST(any other value is what call is called with) {
  CAF_CHECK_EQUAL(asked("null"), "call null");
  CAF_CHECK_EQUAL(asked(R"({"name": "Ada"})"), R"(call {"name":"Ada"})");
  CAF_CHECK_EQUAL(asked(R"({"method": 1})"), R"(call {"method":1})");
}

CAF_TEST(numbers keep their digits) {
  const std::string large = "1606938044258990275541962092341162602522202993782792835301376";
  CAF_CHECK_EQUAL(asked(large), "call " + large);
  CAF_CHECK_EQUAL(asked(R"({"method": "get", "params": {"a": [)" + large + ", 1.50]}}"),
                  R"(get {"a":[)" + large + ",1.50]}");
  CAF_CHECK_EQUAL(text_of_member(R"({"b": {"body": 1}, "body": -)" + large + "}", "body", nullptr),
                  "-" + large);
}

CAF_TEST(what is no JSON is no request) {
  for (const auto* text : {"", "{", "x", "1 2"})
    CAF_CHECK_EQUAL(asked(text), to_string(errc::invalid_argument));
}
