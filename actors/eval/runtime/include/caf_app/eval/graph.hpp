// Graphs as data: nodes numbered so that arguments come before what reads them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "caf_app/eval/function_face.hpp"
#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// An input (then `type` and `type_name` are set) or the application of a function.
struct graph_node {
  std::string input; ///< its name; empty for a function
  const value_type* type = nullptr;
  std::string type_name;                   ///< canonical
  const function_face* function = nullptr; ///< null for an input
  std::vector<size_t> arguments;           ///< ids, each below the node's own

  bool is_input() const noexcept { return function == nullptr; }
  bool is_producer() const { return function && function->is_producer(); }
};

/// A graph as it was declared; does not change. The id of a node is its place in `nodes`.
struct graph_plan {
  std::string name;
  bool cutoff = false; ///< whether an equal outcome stops a pass there
  std::vector<graph_node> nodes;

  /// The node of an input, nothing if there is none of that name.
  std::optional<size_t> input_id(std::string_view input) const {
    for (size_t id = 0; id < nodes.size(); ++id)
      if (nodes[id].is_input() && nodes[id].input == input)
        return id;
    return std::nullopt;
  }
};

/// What a node last came to.
struct node_outcome {
  enum class kind : uint8_t { unset, output, error, skipped };

  kind what = kind::unset;
  json output;        ///< if `output`
  std::string error;  ///< if `error`
  size_t skipped = 0; ///< if `skipped`: the first argument that failed or was skipped

  static node_outcome of_output(json value) { return {kind::output, std::move(value), {}, 0}; }
  static node_outcome of_error(std::string text) { return {kind::error, {}, std::move(text), 0}; }
  static node_outcome of_skip(size_t argument) { return {kind::skipped, {}, {}, argument}; }

  bool is(kind k) const noexcept { return what == k; }

  /// Whether a node that reads this one is skipped.
  bool is_bad() const noexcept { return what == kind::error || what == kind::skipped; }
  bool operator==(const node_outcome&) const = default;
};

/// Everything that a later call needs to go on.
struct graph_state {
  /// When a producer wants to run again, and what it wants to be handed then.
  struct wakeup {
    int64_t at_ms = 0; ///< Unix time
    std::optional<json> continuation;
  };

  /// A value that a producer has made and that is not out yet.
  struct emission {
    size_t id = 0;
    json value;
  };

  int64_t now_ms = 0;                         ///< Unix time of the last step
  std::vector<node_outcome> outcomes;         ///< one per node
  std::vector<std::optional<wakeup>> wakeups; ///< one per node
  std::deque<emission> pending;               ///< first in, first out over all producers

  explicit graph_state(size_t nodes = 0) : outcomes(nodes), wakeups(nodes) {}
};

/// 2^53 - 1: beyond that, times are no longer exact in every JSON implementation.
inline constexpr int64_t time_max_ms = (int64_t{1} << 53) - 1;

} // namespace caf_app::eval
