#include "caf_app/eval/graph_engine.hpp"

#include <algorithm>

namespace caf_app::eval {

using kind = node_outcome::kind;

graph_engine::graph_engine(const graph_plan& plan, graph_state& state, effect_port& port)
    : plan_(plan), state_(state), port_(port), emitted_(plan.nodes.size()) {}

void graph_engine::run_constants() {
  for (size_t id = 0; id < plan_.nodes.size(); ++id)
    if (!plan_.nodes[id].is_input() && plan_.nodes[id].arguments.empty())
      pass_from(id, visit(id));
}

void graph_engine::feed_inputs(const std::vector<feed>& inputs) {
  for (auto& input : inputs)
    if (!(state_.outcomes[input.id] == input.outcome))
      pass_from(input.id, set(input.id, input.outcome));
}

void graph_engine::feed_all(const std::vector<feed>& inputs) {
  for (auto& input : inputs)
    pass_from(input.id, set(input.id, input.outcome));
}

void graph_engine::drain() {
  for (size_t ran = 0; ran < emissions_max; ++ran) {
    if (!state_.pending.empty()) {
      auto next = std::move(state_.pending.front());
      state_.pending.pop_front();
      pass_from(next.id, set(next.id, node_outcome::of_output(std::move(next.value))));
    } else if (auto due = first_due()) {
      wake(*due);
    } else {
      return;
    }
  }
}

std::optional<int64_t> graph_engine::next_call_ms() const {
  if (!state_.pending.empty() || first_due())
    return state_.now_ms;
  std::optional<int64_t> earliest;
  for (auto& wakeup : state_.wakeups)
    if (wakeup && (!earliest || wakeup->at_ms < *earliest))
      earliest = wakeup->at_ms;
  return earliest;
}

/// Stores an outcome and lists it if it differs from the one before.
graph_engine::emitted graph_engine::set(size_t id, node_outcome outcome) {
  if (state_.outcomes[id] == outcome)
    return plan_.cutoff ? emitted::no : emitted::yes;
  state_.outcomes[id] = std::move(outcome);
  changes_.push_back({id, state_.outcomes[id]});
  return emitted::yes;
}

void graph_engine::pass_from(size_t id, emitted first) {
  if (first == emitted::no)
    return;
  std::fill(emitted_.begin(), emitted_.end(), false);
  emitted_[id] = true;
  for (auto later = id + 1; later < plan_.nodes.size(); ++later) {
    auto& arguments = plan_.nodes[later].arguments;
    if (std::any_of(arguments.begin(), arguments.end(), [&](size_t a) { return emitted_[a]; }))
      emitted_[later] = visit(later) == emitted::yes;
  }
}

/// Runs a node on the latest values, or says why it cannot.
graph_engine::emitted graph_engine::visit(size_t id) {
  auto& node = plan_.nodes[id];
  forget_work(id);
  arguments_.clear();
  std::optional<size_t> bad;
  for (auto argument : node.arguments) {
    auto& outcome = state_.outcomes[argument];
    if (outcome.is(kind::unset))
      return emitted::no;
    if (outcome.is_bad() && !bad)
      bad = argument;
    arguments_.push_back(&outcome.output);
  }
  if (bad)
    return set(id, node_outcome::of_skip(*bad));
  if (node.function->is_producer())
    return run_producer(id, nullptr);
  auto result = node.function->call(port_, arguments_);
  return set(id, result.error ? node_outcome::of_error(std::move(*result.error))
                              : node_outcome::of_output(std::move(result.output)));
}

/// @pre arguments_ are those of the node
graph_engine::emitted graph_engine::run_producer(size_t id, const json* continuation) {
  auto run = plan_.nodes[id].function->produce(port_, arguments_, state_.now_ms, continuation);
  if (run.error)
    return set(id, node_outcome::of_error(std::move(*run.error)));
  if (run.next_ms && (*run.next_ms <= state_.now_ms || *run.next_ms > time_max_ms))
    return set(id,
               node_outcome::of_error("the next time " + std::to_string(*run.next_ms) +
                                      (*run.next_ms <= state_.now_ms
                                           ? " is not after now, " + std::to_string(state_.now_ms)
                                           : " is above 2^53-1")));
  if (run.next_ms)
    state_.wakeups[id] = graph_state::wakeup{*run.next_ms, std::move(run.continuation)};
  return take_values(id, std::move(run.values));
}

graph_engine::emitted graph_engine::take_values(size_t id, std::vector<json> values) {
  if (values.empty()) {
    if (state_.outcomes[id].is_bad())
      state_.outcomes[id] = {};
    return emitted::no;
  }
  for (size_t i = 1; i < values.size(); ++i)
    state_.pending.push_back({id, std::move(values[i])});
  return set(id, node_outcome::of_output(std::move(values.front())));
}

/// A new argument: what a producer had queued and planned is about values of the past.
void graph_engine::forget_work(size_t id) {
  if (!plan_.nodes[id].is_producer())
    return;
  state_.wakeups[id].reset();
  std::erase_if(state_.pending, [&](auto& emission) { return emission.id == id; });
}

/// The producer whose time has come first; of equal times the lowest id.
std::optional<size_t> graph_engine::first_due() const {
  std::optional<size_t> first;
  for (size_t id = 0; id < state_.wakeups.size(); ++id) {
    auto& wakeup = state_.wakeups[id];
    if (wakeup && wakeup->at_ms <= state_.now_ms &&
        (!first || wakeup->at_ms < state_.wakeups[*first]->at_ms))
      first = id;
  }
  return first;
}

void graph_engine::wake(size_t id) {
  auto due = std::move(*state_.wakeups[id]);
  state_.wakeups[id].reset();
  arguments_.clear();
  for (auto argument : plan_.nodes[id].arguments)
    arguments_.push_back(&state_.outcomes[argument].output);
  pass_from(id, run_producer(id, due.continuation ? &*due.continuation : nullptr));
}

} // namespace caf_app::eval
