// Calls of single functions; declared in graph_request.hpp beside calls of graphs.
#include "caf_app/eval/graph_request.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

/// The arguments in `input`, nothing if their number is wrong.
std::optional<std::vector<const json*>> spread(const json* input, size_t arity) {
  std::vector<const json*> arguments;
  if (arity == 0)
    return arguments;
  if (!input)
    return std::nullopt;
  if (arity == 1) {
    arguments.push_back(input);
    return arguments;
  }
  auto items = input->if_array();
  if (!items || items->size() != arity)
    return std::nullopt;
  for (auto& item : *items)
    arguments.push_back(&item);
  return arguments;
}

evaluation run(const function_face& function, const json* input, call_port& port) {
  if (function.is_producer())
    return {{}, "a producer runs in graphs only"};
  auto arguments = spread(input, function.arity());
  if (!arguments)
    return {{},
            function.arity() == 1
                ? std::string{"expected an input"}
                : "expected an array of " + std::to_string(function.arity()) + " arguments"};
  for (size_t i = 0; i < arguments->size(); ++i)
    if ((*arguments)[i]->depth() > json_depth_max)
      return {{},
              "argument " + std::to_string(i + 1) + ": nested deeper than " +
                  std::to_string(json_depth_max)};
  return function.call(port, *arguments);
}

void write_evaluation(std::string& to, const evaluation& result) {
  if (result.error) {
    to += "{\"error\":";
    write_json_string(to, *result.error);
  } else {
    to += "{\"output\":";
    write_json(to, result.output);
  }
}

} // namespace

call_reply call_function(const function_face& function, const json& request, call_port& port) {
  if (!request.if_object())
    return call_fault{400, "invalid_request", "expected an object"};
  std::string reply;
  if (auto inputs = request.find("inputs")) {
    auto items = inputs->if_array();
    if (!items)
      return call_fault{400, "invalid_request", "inputs: expected an array"};
    reply = "{\"outputs\":[";
    for (size_t i = 0; i < items->size(); ++i) {
      reply += i > 0 ? "," : "";
      write_evaluation(reply, run(function, &(*items)[i], port));
      reply += '}';
    }
    reply += ']';
  } else {
    write_evaluation(reply, run(function, request.find("input"), port));
  }
  if (auto log = port.take_log(); !log.empty()) {
    reply += ",\"log\":";
    write_json_string(reply, log);
  }
  reply += '}';
  return reply;
}

} // namespace caf_app::eval
