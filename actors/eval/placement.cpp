#include "actors/eval/placement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace caf_app::eval {

namespace {

constexpr uint64_t fnv_offset = 0xCBF29CE484222325U;
constexpr uint64_t fnv_prime = 0x100000001B3U;

uint64_t fnv1a(uint64_t hash, std::string_view text) {
  for (auto c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * fnv_prime;
  return hash;
}

/// The finaliser of splitmix64: FNV alone leaves the high bits of short texts alike.
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// What a node may hold before it is second choice: above the mean after this call.
size_t bound_of(const std::vector<eval_node>& nodes) {
  const auto total = std::accumulate(nodes.begin(), nodes.end(), size_t{1},
                                     [](size_t sum, auto& node) { return sum + node.load; });
  return static_cast<size_t>(
      std::ceil(load_bound * static_cast<double>(total) / static_cast<double>(nodes.size())));
}

} // namespace

uint64_t rendezvous_weight(std::string_view key, std::string_view node) {
  return mixed(fnv1a(fnv1a(fnv_offset, key) ^ 0xFF, node));
}

std::vector<size_t> placement_order(std::string_view key, const std::vector<eval_node>& nodes) {
  std::vector<size_t> order(nodes.size());
  if (nodes.empty())
    return order;
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<uint64_t> weights;
  weights.reserve(nodes.size());
  for (auto& node : nodes)
    weights.push_back(rendezvous_weight(key, node.name));
  const auto bound = bound_of(nodes);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto full_a = nodes[a].load >= bound;
    const auto full_b = nodes[b].load >= bound;
    if (full_a != full_b)
      return full_b;
    return weights[a] != weights[b] ? weights[a] > weights[b] : nodes[a].name < nodes[b].name;
  });
  return order;
}

} // namespace caf_app::eval
