// Any bytes as the state of a graph: what is accepted is written and accepted again, unchanged, and
// a step on it neither crashes nor loses nodes.
#include "caf_app/eval/graph_state.hpp"

#include "caf_app/base/assert.hpp"
#include "caf_app/eval/bind.hpp"
#include "caf_app/eval/generated.hpp"
#include "caf_app/eval/graph_request.hpp"
#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

nat add(nat a, nat b) { return a + b; }
produced<nat, nat> ticks(nat period, clock_ms now, std::optional<nat> last) {
  const auto next = last ? *last + 1 : nat{};
  return {{next}, next, now + 1 + static_cast<int64_t>(period.to_string().size())};
}

const graph_plan& plan() {
  using ticks_signature = produced<nat, nat>(nat, clock_ms, std::optional<nat>);
  static const auto adder = bind<nat(nat, nat), add>("add", "nat(nat, nat)");
  static const auto ticker = bind<ticks_signature, ticks>("ticks", "produced<nat, nat>(nat, ...)");
  static const graph_plan result = [&] {
    graph_plan made;
    made.name = "g";
    graph_node a;
    a.input = "a";
    a.type = &value_type_of<nat>();
    a.type_name = "nat";
    graph_node t;
    t.function = &ticker;
    t.arguments = {0};
    graph_node sum;
    sum.function = &adder;
    sum.arguments = {0, 1};
    made.nodes = {a, t, sum};
    return made;
  }();
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value =
      read_json({reinterpret_cast<const char*>(data), size}, json_depth_max + envelope_depth_max);
  const auto* parsed = std::get_if<json>(&value);
  if (!parsed)
    return 0;
  const state_owner owner{"b", "g", json{}};
  const auto read = read_state(*parsed, plan(), owner);
  const auto* state = std::get_if<graph_state>(&read);
  if (!state)
    return 0;
  std::string text;
  write_state(text, *state, owner);
  const auto again = read_json(text, json_depth_max + envelope_depth_max);
  const auto second = read_state(std::get<json>(again), plan(), owner);
  CAF_APP_ASSERT(std::holds_alternative<graph_state>(second));
  std::string same;
  write_state(same, std::get<graph_state>(second), owner);
  CAF_APP_ASSERT(same == text);
  json request;
  request.add("state", *parsed);
  json inputs;
  inputs.add("a", 5);
  request.add("inputs", std::move(inputs));
  call_port port{{}, [](effect, const json&) -> json { throw effect_failed{"no"}; }};
  const auto reply = call_graph(plan(), request, {"b", json{}, 1000}, port);
  if (const auto* done = std::get_if<std::string>(&reply))
    CAF_APP_ASSERT(std::holds_alternative<json>(read_json(*done, 1024)));
  return 0;
}
