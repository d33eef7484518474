#define CAF_SUITE supervision_tree
#include "caf_app/supervision/supervision_tree.hpp"

#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using namespace caf_app;

namespace {

using tree = supervision_tree;

std::vector<std::string> paths(const tree& x, std::string_view below = {}) {
  std::vector<std::string> result;
  for (const auto& entry : x.list(below))
    result.push_back(entry.path);
  return result;
}

tree_entry entry(const tree& x, std::string_view path) {
  auto found = x.find(path);
  CAF_REQUIRE(found);
  return std::move(*found);
}

struct sample {
  tree testee;
  tree::node_id http = testee.add(tree::root, "http", child_kind::supervisor);
  tree::node_id listener = testee.add(http, "listener", child_kind::supervisor);
  tree::node_id edge = testee.add(listener, "edge-1:8080", child_kind::supervisor);
  tree::node_id conn = testee.add(edge, "conn-17", child_kind::worker);
  tree::node_id cache = testee.add(http, "cache", child_kind::worker);
};

} // namespace

CAF_TEST(paths join the ids from the root) {
  sample x;
  CAF_CHECK_EQUAL(paths(x.testee),
                  (std::vector<std::string>{"http", "http/listener", "http/listener/edge-1:8080",
                                            "http/listener/edge-1:8080/conn-17", "http/cache"}));
  CAF_CHECK_EQUAL(paths(x.testee, "http/listener/edge-1:8080").size(), 2u);
  CAF_CHECK_EQUAL(paths(x.testee, "nope").size(), 0u);
}

CAF_TEST(an entry is found by its path) {
  sample x;
  const auto found = x.testee.find("http/listener/edge-1:8080/conn-17");
  CAF_REQUIRE(found);
  CAF_CHECK_EQUAL(found->path, "http/listener/edge-1:8080/conn-17");
  CAF_CHECK_EQUAL(found->depth, 3u);
  CAF_CHECK(!x.testee.find("http/conn-17"));
  CAF_CHECK(!x.testee.find("http/"));
  CAF_CHECK(!x.testee.find(""));
  CAF_CHECK(x.testee.find_node("http/cache") == x.cache);
}

CAF_TEST(changes show in the entry) {
  sample x;
  x.testee.set_state(x.cache, tree_state::stopping);
  x.testee.set_restarts(x.cache, 3);
  CAF_CHECK(entry(x.testee, "http/cache").state == tree_state::stopping);
  CAF_CHECK_EQUAL(entry(x.testee, "http/cache").restarts, 3u);
  x.testee.set_ended(x.cache, tree_state::restarting, "it broke");
  CAF_CHECK_EQUAL(entry(x.testee, "http/cache").last_end, "it broke");
}

CAF_TEST(removing a node removes what is below it) {
  sample x;
  x.testee.remove(x.listener);
  CAF_CHECK_EQUAL(paths(x.testee), (std::vector<std::string>{"http", "http/cache"}));
  CAF_CHECK_EQUAL(x.testee.size(), 2u);
  x.testee.set_state(x.conn, tree_state::failed); // too late, and harmless
  x.testee.remove(x.conn);
  CAF_CHECK_EQUAL(x.testee.size(), 2u);
}

CAF_TEST(a node replaces one of the same id and outlives its late removal) {
  sample x;
  const auto fresh = x.testee.add(x.http, "cache", child_kind::worker);
  CAF_CHECK_NOT_EQUAL(fresh, x.cache);
  x.testee.remove(x.cache);
  CAF_CHECK(x.testee.has_child(x.http, "cache"));
  x.testee.remove(fresh);
  CAF_CHECK(!x.testee.has_child(x.http, "cache"));
}

CAF_TEST(retiring keeps what hangs and the path to it) {
  sample x;
  x.testee.set_state(x.conn, tree_state::failed);
  x.testee.retire(x.http, tree::retired::node_too);
  CAF_CHECK_EQUAL(paths(x.testee),
                  (std::vector<std::string>{"http", "http/listener", "http/listener/edge-1:8080",
                                            "http/listener/edge-1:8080/conn-17"}));
  x.testee.set_state(x.conn, tree_state::ended);
  x.testee.retire(x.http, tree::retired::children_only);
  CAF_CHECK_EQUAL(paths(x.testee), std::vector<std::string>{"http"});
}

CAF_TEST(the text has a line per node and sums siblings up) {
  sample x;
  for (int i = 0; i < 5; ++i)
    x.testee.add(x.edge, "conn-" + std::to_string(100 + i), child_kind::worker);
  x.testee.set_restarts(x.cache, 2);
  const auto text = x.testee.to_text(tree::time_point{1h}, 3);
  CAF_CHECK_EQUAL(text, "http supervisor starting\n"
                        "  listener supervisor starting\n"
                        "    edge-1:8080 supervisor starting\n"
                        "      conn-17 worker starting\n"
                        "      conn-100 worker starting\n"
                        "      conn-101 worker starting\n"
                        "      and 3 more\n"
                        "  cache worker starting restarts=2\n");
}
