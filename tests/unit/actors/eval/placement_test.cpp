#define CAF_SUITE placement
#include "actors/eval/placement.hpp"

#include <algorithm>
#include <map>

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

std::vector<eval_node> nodes_of(std::initializer_list<const char*> names) {
  std::vector<eval_node> result;
  for (auto name : names)
    result.push_back({name, 0});
  return result;
}

std::string first(const std::string& key, const std::vector<eval_node>& nodes) {
  return nodes[placement_order(key, nodes).front()].name;
}

constexpr size_t keys = 10'000;

} // namespace

CAF_TEST(keys spread evenly over idle nodes) {
  const auto nodes = nodes_of({"eval-1", "eval-2", "eval-3", "eval-4"});
  std::map<std::string, size_t> count;
  for (size_t i = 0; i < keys; ++i)
    ++count[first("key-" + std::to_string(i), nodes)];
  for (auto& [name, n] : count)
    CAF_CHECK(n > keys / 4 * 9 / 10 && n < keys / 4 * 11 / 10);
}

CAF_TEST(a node that leaves moves only its own keys) {
  const auto before = nodes_of({"a", "b", "c", "d"});
  const auto after = nodes_of({"a", "b", "d"});
  for (size_t i = 0; i < keys; ++i) {
    const auto key = std::to_string(i);
    const auto old = first(key, before);
    if (old != "c")
      CAF_REQUIRE_EQUAL(first(key, after), old);
  }
}

CAF_TEST(the order of the nodes does not matter) {
  const auto forth = nodes_of({"a", "b", "c"});
  const auto back = nodes_of({"c", "b", "a"});
  for (size_t i = 0; i < 100; ++i)
    CAF_CHECK_EQUAL(first(std::to_string(i), forth), first(std::to_string(i), back));
}

CAF_TEST(a node at its bound is the last choice) {
  auto nodes = nodes_of({"a", "b", "c"});
  const auto best = placement_order("key", nodes).front();
  nodes[best].load = 1;
  const auto first_choice = [&] { return placement_order("key", nodes).front(); };
  const auto last_choice = [&] { return placement_order("key", nodes).back(); };
  size_t choice = last_choice(); // 1 of 2 calls, the bound is 1
  CAF_CHECK_EQUAL(choice, best);
  for (auto& node : nodes)
    node.load = 9;
  nodes[best].load = 11;
  choice = first_choice(); // bound 13
  CAF_CHECK_EQUAL(choice, best);
  nodes[best].load = 13;
  choice = first_choice(); // bound 14
  CAF_CHECK_EQUAL(choice, best);
  nodes[best].load = 14;
  choice = last_choice(); // bound 14
  CAF_CHECK_EQUAL(choice, best);
}

CAF_TEST(all nodes are in the order and none is nowhere) {
  auto nodes = nodes_of({"a", "b", "c", "d", "e"});
  nodes[0].load = 1000;
  auto order = placement_order("x", nodes);
  std::sort(order.begin(), order.end());
  CAF_CHECK_EQUAL(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
  CAF_CHECK(placement_order("x", {}).empty());
}

CAF_TEST(weights are the same everywhere) {
  CAF_CHECK(rendezvous_weight("key", "node") != rendezvous_weight("keyn", "ode"));
  CAF_CHECK(rendezvous_weight("a", "b") != rendezvous_weight("b", "a"));
}
