// One step of a graph: feeds inputs, runs passes, lets producers emit. Knows neither JSON text nor
// clocks nor processes; functions may throw nothing (function_face). What it is given has been
// checked (graph_request).
//
// A pass starts at a node that got an outcome and visits later nodes in order. A node is visited if
// an argument emitted in this pass; it emits unless it waits, yields nothing, or cuts off.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "caf_app/eval/graph.hpp"

namespace caf_app::eval {

/// Queued emissions and wake-ups that one step runs at most.
inline constexpr size_t emissions_max = 256;

/// Runs one step on a state; a step has an engine of its own.
class graph_engine {
public:
  /// One entry of `changed`.
  struct change {
    size_t id = 0;
    node_outcome outcome;
  };

  /// An input of a step, its value checked or turned into an error.
  struct feed {
    size_t id = 0;
    node_outcome outcome;
  };

  /// @param state is changed in place; outlives the engine, as do the others
  graph_engine(const graph_plan& plan, graph_state& state, effect_port& port);

  /// Runs the constant sources, each a pass of its own: what a graph without state does first.
  void run_constants();

  /// Feeds each input in order, a full pass each; one whose outcome is already there is left out.
  void feed_inputs(const std::vector<feed>& inputs);

  /// Feeds each input even if it is there already: the first step of a graph.
  void feed_all(const std::vector<feed>& inputs);

  /// Lets queued emissions out, then wakes producers that are due, `emissions_max` at most.
  void drain();

  /// When to call again: the state's `now` if work is left.
  std::optional<int64_t> next_call_ms() const;

  /// Outcomes that became others, in the order in which they did; a node may be in it many times.
  const std::vector<change>& changes() const noexcept { return changes_; }

private:
  enum class emitted : uint8_t { no, yes };

  emitted set(size_t id, node_outcome outcome);
  emitted visit(size_t id);
  emitted run_producer(size_t id, const json* continuation);
  emitted take_values(size_t id, std::vector<json> values);
  void pass_from(size_t id, emitted first);
  void forget_work(size_t id);
  std::optional<size_t> first_due() const;
  void wake(size_t id);

  const graph_plan& plan_;
  graph_state& state_;
  effect_port& port_;
  std::vector<const json*> arguments_; // of the node that runs
  std::vector<bool> emitted_;          // in this pass
  std::vector<change> changes_;
};

} // namespace caf_app::eval
