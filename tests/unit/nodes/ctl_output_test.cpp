#define CAF_SUITE ctl_output
#include "nodes/ctl_output.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace json = boost::json;

namespace {

json::value entry(const std::string& path, int64_t restarts = 0, const std::string& end = "",
                  int64_t uptime_ms = 0) {
  return {{"path", path},         {"state", "running"},     {"actor", 7},
          {"restarts", restarts}, {"uptime_ms", uptime_ms}, {"last_end", end}};
}

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

CAF_TEST(a table has a heading and aligned columns) {
  const auto rows = json::parse(R"([{"name":"a","actor":12},{"name":"longer","actor":3}])");
  CAF_CHECK_EQUAL(to_table(rows), "name    actor\n"
                                  "a       12\n"
                                  "longer  3\n");
}

CAF_TEST(a row without a member has an empty cell) {
  CAF_CHECK_EQUAL(to_table(json::parse(R"([{"a":"1","b":"2"},{"a":"3"}])")), "a  b\n"
                                                                             "1  2\n"
                                                                             "3  \n");
}

CAF_TEST(an empty table says so) { CAF_CHECK_EQUAL(to_table(json::array{}), "none\n"); }

CAF_TEST(what is no table is JSON) {
  CAF_CHECK_EQUAL(to_table(json::parse(R"({"a":1})")), "{\"a\":1}\n");
  CAF_CHECK_EQUAL(to_table(json::parse("[1,2]")), "[1,2]\n");
}

CAF_TEST(facts are a line each and fractions are short) {
  CAF_CHECK_EQUAL(to_facts(json::parse(R"({"node":"n","busy":0.123456,"roles":["a"]})")),
                  "node          n\n"
                  "busy          0.123\n"
                  "roles         a\n");
}

CAF_TEST(cells are words and not JSON) {
  const auto rows = json::parse(R"([{"a":true,"b":null,"c":["x","y"],"d":[],"e":[1]},
                                    {"a":false,"b":"z","c":[],"d":["x"],"e":{}}])");
  CAF_CHECK_EQUAL(to_table(rows), "a    b  c    d  e\n"
                                  "yes  -  x,y  -  1\n"
                                  "no   z  -    x  -\n");
}

CAF_TEST(what is nested has its keys before its values) {
  const auto rows = json::parse(R"([{"loops":[{"busy":0.25,"sockets":3},{"busy":0.5,"sockets":4}],
                                     "remote":{"b":[7,8],"c":[]}}])");
  CAF_CHECK_EQUAL(to_table(rows), "loops                                    remote\n"
                                  "busy 0.25 sockets 3, busy 0.5 sockets 4  b 7,8 c -\n");
}

CAF_TEST(a tree is indented by depth) {
  const auto text = to_tree(json::array{entry("root"), entry("root/a"), entry("root/a/b")});
  CAF_CHECK(text.starts_with("root "));
  CAF_CHECK(text.find("\n  a ") != text.npos);
  CAF_CHECK(text.find("\n    b ") != text.npos);
  CAF_CHECK_EQUAL(lines_of(text), 3u);
}

CAF_TEST(a line of the tree has the facts that matter) {
  const auto plain = to_tree(json::array{entry("root", 0, "", 59'999)});
  CAF_CHECK(plain.ends_with("running    #7  up 59s\n"));
  CAF_CHECK(to_tree(json::array{entry("root", 0, "", 60'000)}).ends_with("up 1m\n"));
  CAF_CHECK(to_tree(json::array{entry("root", 0, "", 7'200'000)}).ends_with("up 2h\n"));
  const auto restarted = to_tree(json::array{entry("root", 2, "killed")});
  CAF_CHECK(restarted.ends_with("restarts 2  last end: killed\n"));
}

CAF_TEST(more siblings than wanted are summed up) {
  json::array entries{entry("root")};
  for (int i = 0; i < 5; ++i)
    entries.push_back(entry("root/c" + std::to_string(i)));
  CAF_CHECK_EQUAL(lines_of(to_tree(entries, 5)), 6u);
  const auto text = to_tree(entries, 3);
  CAF_CHECK_EQUAL(lines_of(text), 5u);
  CAF_CHECK(text.ends_with("and 2 more below root\n"));
}

CAF_TEST(a decision is a line) {
  json::object grow{{"at", "12:00"},
                    {"target", "web/n1"},
                    {"action", "grow"},
                    {"from", 1},
                    {"to", 2},
                    {"verdict", "web_bound"},
                    {"reason", "loop_busy"},
                    {"held_by", json::value()}};
  auto held = grow;
  held["action"] = "hold";
  held["held_by"] = "up_samples";
  const auto text = to_decisions(json::array{grow, held}, false);
  CAF_CHECK_EQUAL(lines_of(text), 2u);
  CAF_CHECK(text.find("1 -> 2") != std::string::npos);
  CAF_CHECK(text.find("web/n1") != std::string::npos);
  CAF_CHECK(text.find("loop_busy\n") != std::string::npos);
  CAF_CHECK(text.ends_with("held by up_samples\n"));
}

CAF_TEST(decisions that hold for the same reason are one line) {
  const auto line = [](const char* at, const char* target, const char* reason, int count = 2) {
    return json::object{{"at", at},         {"target", target},  {"action", "hold"},
                        {"from", count},    {"to", count},       {"verdict", "idle"},
                        {"reason", reason}, {"held_by", nullptr}};
  };
  auto grown = line("12:03", "web/n1", "pinned");
  grown["action"] = "grow";
  const json::array all{line("12:00", "web/n1", "pinned"),
                        line("12:01", "eval/n1", "low_load"),
                        line("12:02", "web/n1", "pinned"),
                        grown,
                        grown,
                        line("12:04", "web/n1", "pinned", 3)};
  const auto text = to_decisions(all, false);
  CAF_CHECK_EQUAL(lines_of(text), 5u);
  CAF_CHECK(text.find("12:00  web/n1        hold       2 -> 2  idle            pinned at 2  x 2 "
                      "until 12:02\n12:01") == 0);
  CAF_CHECK(text.ends_with("pinned at 3\n"));
  CAF_CHECK_EQUAL(lines_of(to_decisions(all, true)), 6u);
}

CAF_TEST(instances are a table) {
  const auto state = json::parse(R"({"instances":[
    {"name":"n1","incarnation":"7","state":"ready","connections":3,"in_flight":1,"busy":0.25,
     "rss_bytes":10485760,"sample_age_ms":12.5},
    {"name":"n1.2","incarnation":"8","state":"starting","connections":0,"in_flight":null,
     "busy":null,"rss_bytes":0,"sample_age_ms":-1}]})");
  CAF_CHECK_EQUAL(to_instances(state),
                  "instance  pid  state     connections  in_flight  busy  rss_mib\n"
                  "n1        7    ready     3            1          0.25  10\n"
                  "n1.2      8    starting  -            -          -     -\n");
  CAF_CHECK_EQUAL(to_instances(json::object{}), "none\n");
}
