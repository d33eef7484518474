// A call of a graph: from the request to the reply, for one step and for several. Everything is
// checked before anything runs; a fault is the caller's (status 400), and no function ran.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "caf_app/eval/call_port.hpp"
#include "caf_app/eval/graph.hpp"
#include "caf_app/eval/graph_state.hpp"

namespace caf_app::eval {

/// Why a call has no reply.
struct call_fault {
  int status = 400;                     ///< of HTTP
  std::string code = "invalid_request"; ///< a word for programs
  std::string text;                     ///< a sentence: what is wrong and where
};

/// What a call brings beside its request.
struct call_context {
  std::string build;    ///< its id
  json identity;        ///< the binding, null for none
  int64_t clock_ms = 0; ///< the server's Unix time, for calls without `now`
};

/// The text of the reply, or why there is none.
using call_reply = std::variant<std::string, call_fault>;

/// Runs the step or the steps of `request`: {"state"?, "inputs"?, "now"?, "recoverInputs"?} or
/// {"state"?, "steps": [{"inputs"?, "now"?, "recoverInputs"?}, ...]}. Time never runs backwards
/// from step to step: an earlier `now` is a fault. An input of another type is a fault too, with
/// `recoverInputs` the error of its node.
/// @returns {"state", "nodes"} and, for one step or in "steps" for each, "changed", "nextCallAt"
/// and
///   "log" (if anything was said)
call_reply call_graph(const graph_plan& plan, const json& request, const call_context& context,
                      call_port& port);

/// Runs a function once (`input`) or for each of `inputs`; with one argument an input is that, with
/// several an array of them, without any it is not looked at.
/// @returns {"output"} or {"error"}, or {"outputs": [those, ...]}, and "log" if anything was said
call_reply call_function(const function_face& function, const json& request, call_port& port);

} // namespace caf_app::eval
