#include "caf_app/eval/graph_request.hpp"

#include <algorithm>

#include "caf_app/eval/graph_engine.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

struct step {
  std::vector<graph_engine::feed> inputs; // in the order of the request
  int64_t now_ms = 0;
};

struct graph_call {
  bool fresh = true;
  bool batch = false;
  graph_state state;
  std::vector<step> steps;
};

using fault = std::optional<std::string>;

fault read_inputs(const json& request, const graph_plan& plan, step& to) {
  bool recover = false;
  if (auto flag = request.find("recoverInputs")) {
    if (!flag->if_bool())
      return "recoverInputs: expected a boolean";
    recover = *flag->if_bool();
  }
  auto inputs = request.find("inputs");
  if (!inputs || inputs->is_null())
    return std::nullopt;
  if (!inputs->if_object())
    return "inputs: expected an object";
  for (auto& [name, value] : *inputs->if_object()) {
    auto id = plan.input_id(name);
    if (!id)
      return "inputs: the graph has no input " + to_text(name);
    if (value.depth() > json_depth_max)
      return name + ": nested deeper than " + std::to_string(json_depth_max);
    auto outcome = node_outcome::of_output(value);
    if (auto text = plan.nodes[*id].type->accept(outcome.output, name)) {
      if (!recover)
        return "inputs: " + *text;
      outcome = node_outcome::of_error(std::move(*text));
    }
    to.inputs.push_back({*id, std::move(outcome)});
  }
  return std::nullopt;
}

/// @param earliest_ms the time before, below which `now` may not be
fault read_now(const json& request, int64_t earliest_ms, int64_t clock_ms, step& to) {
  auto now = request.find("now");
  if (!now) {
    to.now_ms = std::max(clock_ms, earliest_ms);
    return std::nullopt;
  }
  auto time = read_time(*now);
  if (!time)
    return "now: expected an integer from 0 to 2^53-1";
  if (*time < earliest_ms)
    return "now: " + std::to_string(*time) + " is before the state's now, " +
           std::to_string(earliest_ms);
  to.now_ms = *time;
  return std::nullopt;
}

fault read_step(const json& request, const graph_plan& plan, int64_t earliest_ms, int64_t clock_ms,
                graph_call& to) {
  auto& next = to.steps.emplace_back();
  if (auto text = read_now(request, earliest_ms, clock_ms, next))
    return text;
  return read_inputs(request, plan, next);
}

fault read_steps(const json& request, const json& steps, const graph_plan& plan, int64_t clock_ms,
                 graph_call& to) {
  to.batch = true;
  auto items = steps.if_array();
  if (!items || items->empty())
    return "steps: expected an array that is not empty";
  if (request.find("inputs") || request.find("now"))
    return "steps: inputs and now belong into each step";
  auto earliest = to.state.now_ms;
  for (size_t i = 0; i < items->size(); ++i) {
    auto name = "steps[" + std::to_string(i) + "]: ";
    if (!(*items)[i].if_object())
      return name + "expected an object";
    if (auto text = read_step((*items)[i], plan, earliest, clock_ms, to))
      return name + *text;
    earliest = to.steps.back().now_ms;
  }
  return std::nullopt;
}

fault read_call(const json& request, const graph_plan& plan, const call_context& context,
                const state_owner& owner, graph_call& to) {
  if (!request.if_object())
    return "expected an object";
  to.state = graph_state{plan.nodes.size()};
  if (auto state = request.find("state"); state && !state->is_null()) {
    auto result = read_state(*state, plan, owner);
    if (auto text = std::get_if<std::string>(&result))
      return *text;
    to.state = std::get<graph_state>(std::move(result));
    to.fresh = false;
  }
  if (auto steps = request.find("steps"))
    return read_steps(request, *steps, plan, context.clock_ms, to);
  return read_step(request, plan, to.state.now_ms, context.clock_ms, to);
}

void write_changed(std::string& to, const graph_engine& engine, const graph_state& state) {
  to += "\"changed\":[";
  const char* comma = "";
  for (auto& change : engine.changes()) {
    to += std::exchange(comma, ",");
    to += "{\"id\":" + std::to_string(change.id);
    write_outcome(to, change.outcome, ",");
    to += ",\"timestamp\":" + std::to_string(state.now_ms) + "}";
  }
  to += "],\"nextCallAt\":";
  auto next = engine.next_call_ms();
  to += next ? std::to_string(*next) : "null";
}

void write_nodes(std::string& to, const graph_plan& plan, const graph_state& state) {
  to += "\"nodes\":[";
  for (size_t id = 0; id < plan.nodes.size(); ++id) {
    auto& node = plan.nodes[id];
    to += (id > 0 ? ",{\"id\":" : "{\"id\":") + std::to_string(id);
    to += node.is_input() ? ",\"input\":" : ",\"function\":";
    write_json_string(to, node.is_input() ? std::string_view{node.input} : node.function->name());
    if (!node.arguments.empty()) {
      to += ",\"args\":[";
      for (size_t i = 0; i < node.arguments.size(); ++i)
        to += (i > 0 ? "," : "") + std::to_string(node.arguments[i]);
      to += ']';
    }
    write_outcome(to, state.outcomes[id], ",");
    to += '}';
  }
  to += ']';
}

void write_log(std::string& to, call_port& port) {
  if (auto log = port.take_log(); !log.empty()) {
    to += ",\"log\":";
    write_json_string(to, log);
  }
}

/// Runs one step and appends `"changed":...,"nextCallAt":...`.
void run_step(std::string& to, const graph_plan& plan, const step& what, graph_call& call,
              call_port& port) {
  call.state.now_ms = what.now_ms;
  graph_engine engine{plan, call.state, port};
  if (call.fresh) {
    engine.run_constants();
    engine.feed_all(what.inputs);
  } else {
    engine.feed_inputs(what.inputs);
  }
  call.fresh = false;
  engine.drain();
  write_changed(to, engine, call.state);
}

} // namespace

call_reply call_graph(const graph_plan& plan, const json& request, const call_context& context,
                      call_port& port) {
  graph_call call;
  const state_owner owner{context.build, plan.name, context.identity};
  if (auto text = read_call(request, plan, context, owner, call))
    return call_fault{400, "invalid_request", std::move(*text)};
  std::string steps;
  for (auto& step : call.steps) {
    if (call.batch)
      steps += steps.empty() ? "{" : ",{";
    run_step(steps, plan, step, call, port);
    if (call.batch) {
      write_log(steps, port);
      steps += '}';
    }
  }
  std::string reply = "{\"state\":";
  write_state(reply, call.state, owner);
  reply += ',';
  write_nodes(reply, plan, call.state);
  reply += call.batch ? ",\"steps\":[" + steps + "]" : "," + steps;
  if (!call.batch)
    write_log(reply, port);
  reply += '}';
  return reply;
}

} // namespace caf_app::eval
