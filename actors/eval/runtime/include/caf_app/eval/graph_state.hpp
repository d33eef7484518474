// The state of a graph as its caller keeps it: written after each call, and checked before anything
// runs when it comes back, because anybody may have changed it.
//
//   {"contract", "build", "graph", "identity", "now",
//    "outcomes": [null | {"output"} | {"error"} | {"skipped"}, ...],
//    "continuations": [{"id", "at", "continuation"?}, ...],  wake-ups by node
//    "pending": [{"id", "value"}, ...]}                      emissions, first in first out
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "caf_app/eval/graph.hpp"

namespace caf_app::eval {

/// The version of what graph states and steps mean.
inline constexpr std::string_view graph_contract = "caf_app.graph/1";

/// Whose state it is: what must agree between the call and the state.
struct state_owner {
  std::string build;
  std::string graph;
  json identity; ///< the binding of the call, null for none
};

/// Reads a state. Contract, build and graph have to be the owner's, the identity too unless one of
/// the two is null; every value is checked against its type.
/// @returns the state, or why it is not one of this graph: "state: outcomes[3]: ..."
std::variant<graph_state, std::string> read_state(const json& from, const graph_plan& plan,
                                                  const state_owner& owner);

/// Appends the text of a state.
void write_state(std::string& to, const graph_state& state, const state_owner& owner);

/// Appends `"output":...`, `"error":...` or `"skipped":...`, nothing if unset.
/// @param separator goes before it
void write_outcome(std::string& to, const node_outcome& outcome, std::string_view separator);

/// Reads a Unix time in milliseconds: an integer from 0 to 2^53-1, nothing for any other value.
std::optional<int64_t> read_time(const json& from);

} // namespace caf_app::eval
