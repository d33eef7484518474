// Which eval node a call goes to: rendezvous hashing of its affinity key, so that nodes coming and
// going move the fewest keys, bounded by load, so that a hot key does not drown its node
// (Mirrokni, Thorup, Zadimoghaddam: Consistent hashing with bounded loads, 2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caf_app::eval {

/// Load above that many times the mean makes a node the second choice.
inline constexpr double load_bound = 1.25;

struct eval_node {
  std::string name;
  size_t load = 0; ///< calls under way
};

/// The weight of a node for a key; the highest wins. The same on every machine: FNV-1a, then the
/// finaliser of splitmix64.
uint64_t rendezvous_weight(std::string_view key, std::string_view node);

/// @returns indexes of `nodes`, best first: by weight, but those at their bound behind the others
std::vector<size_t> placement_order(std::string_view key, const std::vector<eval_node>& nodes);

} // namespace caf_app::eval
