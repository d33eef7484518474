// The driver around a project: what it holds, how a call is served, and its main function. Serving
// is pure; the processes are in runtime/process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "caf_app/eval/call_port.hpp"
#include "caf_app/eval/function_face.hpp"
#include "caf_app/eval/graph.hpp"

namespace caf_app::eval {

/// The declared functions and graphs. Plans point to the functions.
struct driver_table {
  std::vector<const function_face*> functions;
  std::vector<graph_plan> graphs;
};

/// `functions: [{name, signature, arity, producer}]`,
/// `graphs: [{name, inputs, nodes, sources, sinks}]`, `contract`.
json describe(const driver_table& table);

/// A status of HTTP and a JSON text.
struct driver_reply {
  int status = 200;
  std::string body;
};

/// Serves one call. What a function does wrong is part of a 200; other statuses say that none ran,
/// or that the reply is too large.
/// @param header {"kind": "function"|"graph", "name", "build", "clock", "identity",
///   "effects": [names], "replyMax": bytes}; from the server, hence trusted
/// @param body what the client sent; empty counts as {}
/// @param perform has effects performed
/// @returns 200 with the reply; 400 malformed_json or invalid_request, 404 not_found (no such
///   function or graph), 500 internal (bad header) or reply_too_large with error_body
driver_reply serve(const driver_table& table, std::string_view header, std::string_view body,
                   const call_port::performer& perform);

/// Error bodies: {"error": text, "code": word}.
std::string error_body(std::string_view text, std::string_view code);

/// The main function of a driver: serves on descriptor 3 until the other side closes it.
/// @returns the exit code: 0 when the other side has closed, 1 when it breaks the protocol
int driver_main(const driver_table& table);

} // namespace caf_app::eval
