#include "caf_app/eval/graph_state.hpp"

#include <algorithm>
#include <charconv>

#include "caf_app/eval/decimal.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

using kind = node_outcome::kind;
using fault = std::optional<std::string>;

std::optional<size_t> read_id(const json* from) {
  auto text = from ? from->if_number() : nullptr;
  size_t id = 0;
  if (!text || !is_integer_text(*text))
    return std::nullopt;
  auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), id);
  return ec == std::errc{} && end == text->data() + text->size() ? std::optional{id} : std::nullopt;
}

fault check_value(json& value, const value_type& type, const std::string& name) {
  if (value.depth() > json_depth_max)
    return name + ": nested deeper than " + std::to_string(json_depth_max);
  return type.accept(value, name);
}

fault read_output(const json& from, const graph_node& node, node_outcome& to,
                  const std::string& name) {
  to = node_outcome::of_output(from);
  return check_value(to.output, node.is_input() ? *node.type : node.function->output(), name);
}

fault read_skip(const json& from, const graph_node& node, node_outcome& to,
                const std::string& name) {
  auto id = read_id(&from);
  auto& arguments = node.arguments;
  if (!id || std::find(arguments.begin(), arguments.end(), *id) == arguments.end())
    return name + ": skipped does not name an argument";
  to = node_outcome::of_skip(*id);
  return std::nullopt;
}

fault read_outcome(const json& from, const graph_node& node, node_outcome& to,
                   const std::string& name) {
  if (from.is_null())
    return std::nullopt;
  auto members = from.if_object();
  if (!members || members->size() != 1)
    return name + ": expected null or an object with one of output, error, skipped";
  auto& [what, value] = members->front();
  if (what == "output")
    return read_output(value, node, to, name);
  if (what == "skipped")
    return read_skip(value, node, to, name);
  if (what != "error" || !value.if_string())
    return name + ": expected an output, a text of an error or a skip";
  to = node_outcome::of_error(*value.if_string());
  return std::nullopt;
}

fault read_outcomes(const json* from, const graph_plan& plan, graph_state& to) {
  auto items = from ? from->if_array() : nullptr;
  if (!items || items->size() != plan.nodes.size())
    return "outcomes: expected an array of " + std::to_string(plan.nodes.size());
  for (size_t id = 0; id < items->size(); ++id)
    if (auto text = read_outcome((*items)[id], plan.nodes[id], to.outcomes[id],
                                 "outcomes[" + std::to_string(id) + "]"))
      return text;
  return std::nullopt;
}

/// The producer that an entry names: it must have run, hence all its arguments have outputs.
std::optional<size_t> producer_of(const json& entry, const graph_plan& plan,
                                  const graph_state& state) {
  auto id = read_id(entry.find("id"));
  if (!id || *id >= plan.nodes.size() || !plan.nodes[*id].is_producer())
    return std::nullopt;
  for (auto argument : plan.nodes[*id].arguments)
    if (!state.outcomes[argument].is(kind::output))
      return std::nullopt;
  return id;
}

fault read_wakeup(const json& entry, const graph_plan& plan, graph_state& to,
                  const std::string& name) {
  auto id = producer_of(entry, plan, to);
  if (!id || to.wakeups[*id])
    return name + ": id does not name a producer that ran, or not for the first time";
  auto at = entry.find("at");
  auto time = at ? read_time(*at) : std::nullopt;
  if (!time)
    return name + ".at: expected a time";
  auto& wakeup = to.wakeups[*id].emplace(graph_state::wakeup{*time, std::nullopt});
  if (auto value = entry.find("continuation")) {
    wakeup.continuation = *value;
    return check_value(*wakeup.continuation, *plan.nodes[*id].function->continuation(),
                       name + ".continuation");
  }
  return std::nullopt;
}

fault read_emission(const json& entry, const graph_plan& plan, graph_state& to,
                    const std::string& name) {
  auto id = producer_of(entry, plan, to);
  auto value = entry.find("value");
  if (!id || !value)
    return name + ": expected the id of a producer that ran, and a value";
  to.pending.push_back({*id, *value});
  return check_value(to.pending.back().value, plan.nodes[*id].function->output(), name + ".value");
}

template <class Read>
fault read_entries(const json& from, const char* member, const graph_plan& plan, graph_state& to,
                   Read read) {
  auto list = from.find(member);
  auto items = list ? list->if_array() : nullptr;
  if (!items)
    return std::string{member} + ": expected an array";
  for (size_t i = 0; i < items->size(); ++i)
    if (auto text = read((*items)[i], plan, to, member + ("[" + std::to_string(i) + "]")))
      return text;
  return std::nullopt;
}

fault check_text(const json& from, const char* member, std::string_view expected) {
  auto value = from.find(member);
  auto text = value ? value->if_string() : nullptr;
  if (text && *text == expected)
    return std::nullopt;
  return std::string{"it is a state of another "} + member;
}

/// A state without identity, or a call without, may meet any other.
fault check_identity(const json& from, const json& identity) {
  auto value = from.find("identity");
  if (!value || (!value->is_null() && !value->if_object()))
    return "identity: expected an object or null";
  if (value->is_null() || identity.is_null() || *value == identity)
    return std::nullopt;
  return "it is a state of another identity";
}

fault check_owner(const json& from, const state_owner& owner) {
  if (!from.if_object())
    return "expected an object";
  if (auto text = check_text(from, "contract", graph_contract))
    return text;
  if (auto text = check_text(from, "build", owner.build))
    return text;
  if (auto text = check_text(from, "graph", owner.graph))
    return text;
  return check_identity(from, owner.identity);
}

} // namespace

std::optional<int64_t> read_time(const json& from) {
  auto text = from.if_number();
  int64_t time = 0;
  if (!text || !is_integer_text(*text) ||
      std::from_chars(text->data(), text->data() + text->size(), time).ec != std::errc{} ||
      time < 0 || time > time_max_ms)
    return std::nullopt;
  return time;
}

std::variant<graph_state, std::string> read_state(const json& from, const graph_plan& plan,
                                                  const state_owner& owner) {
  graph_state state{plan.nodes.size()};
  if (auto text = check_owner(from, owner))
    return "state: " + *text;
  auto now = from.find("now");
  auto time = now ? read_time(*now) : std::nullopt;
  if (!time)
    return "state: now: expected an integer from 0 to 2^53-1";
  state.now_ms = *time;
  if (auto text = read_outcomes(from.find("outcomes"), plan, state))
    return "state: " + *text;
  if (auto text = read_entries(from, "continuations", plan, state, read_wakeup))
    return "state: " + *text;
  if (auto text = read_entries(from, "pending", plan, state, read_emission))
    return "state: " + *text;
  return state;
}

void write_outcome(std::string& to, const node_outcome& outcome, std::string_view separator) {
  if (outcome.is(kind::unset))
    return;
  to += separator;
  if (outcome.is(kind::output)) {
    to += "\"output\":";
    write_json(to, outcome.output);
  } else if (outcome.is(kind::error)) {
    to += "\"error\":";
    write_json_string(to, outcome.error);
  } else {
    to += "\"skipped\":" + std::to_string(outcome.skipped);
  }
}

void write_state(std::string& to, const graph_state& state, const state_owner& owner) {
  to += "{\"contract\":";
  write_json_string(to, graph_contract);
  to += ",\"build\":";
  write_json_string(to, owner.build);
  to += ",\"graph\":";
  write_json_string(to, owner.graph);
  to += ",\"identity\":";
  write_json(to, owner.identity);
  to += ",\"now\":" + std::to_string(state.now_ms) + ",\"outcomes\":[";
  for (size_t id = 0; id < state.outcomes.size(); ++id) {
    to += id > 0 ? "," : "";
    if (state.outcomes[id].is(kind::unset)) {
      to += "null";
    } else {
      write_outcome(to, state.outcomes[id], "{");
      to += '}';
    }
  }
  to += "],\"continuations\":[";
  const char* comma = "";
  for (size_t id = 0; id < state.wakeups.size(); ++id) {
    auto& wakeup = state.wakeups[id];
    if (!wakeup)
      continue;
    to += std::exchange(comma, ",");
    to += "{\"id\":" + std::to_string(id) + ",\"at\":" + std::to_string(wakeup->at_ms);
    if (wakeup->continuation) {
      to += ",\"continuation\":";
      write_json(to, *wakeup->continuation);
    }
    to += '}';
  }
  to += "],\"pending\":[";
  comma = "";
  for (auto& emission : state.pending) {
    to += std::exchange(comma, ",");
    to += "{\"id\":" + std::to_string(emission.id) + ",\"value\":";
    write_json(to, emission.value);
    to += '}';
  }
  to += "]}";
}

} // namespace caf_app::eval
