// Graphs of made-up functions over small integers, for the suites of the graph engine: a builder,
// and a caller that keeps the state between steps and shows replies in short.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "caf_app/eval/bind.hpp"
#include "caf_app/eval/graph_request.hpp"
#include "caf_app/eval/json_text.hpp"

namespace eval_test {

using namespace caf_app::eval;
using ints = std::vector<int64_t>;

inline json parse(std::string_view text) {
  auto result = read_json(text, 1024);
  if (auto fault = std::get_if<json_fault>(&result))
    return json{"no JSON: " + fault->text};
  return std::get<json>(std::move(result));
}

/// What a made-up producer gives in one run.
struct run {
  ints values;
  std::optional<int64_t> continuation;
  std::optional<int64_t> next_ms;
  std::optional<std::string> error;
};

/// A function over integers; counts its calls.
class fake_function final : public function_face {
public:
  using ordinary = std::function<evaluation(effect_port&, const ints&)>;
  using producing = std::function<run(const ints&, int64_t, std::optional<int64_t>)>;

  fake_function(std::string name, size_t arity, ordinary call)
      : name_(std::move(name)), arity_(arity), call_(std::move(call)) {}
  fake_function(std::string name, size_t arity, producing produce)
      : name_(std::move(name)), arity_(arity), produce_(std::move(produce)) {}

  std::string_view name() const override { return name_; }
  std::string_view signature() const override { return "made up"; }
  size_t arity() const override { return arity_; }
  bool is_producer() const override { return static_cast<bool>(produce_); }
  const value_type& output() const override { return typed_value<int64_t>::instance(); }
  const value_type* continuation() const override {
    return produce_ ? &typed_value<int64_t>::instance() : nullptr;
  }

  evaluation call(effect_port& port, argument_list arguments) const override {
    ++calls;
    return call_(port, numbers(arguments));
  }

  production produce(effect_port&, argument_list arguments, int64_t now_ms,
                     const json* from) const override {
    ++calls;
    std::optional<int64_t> resume;
    if (from)
      resume = std::stoll(*from->if_number());
    auto made = produce_(numbers(arguments), now_ms, resume);
    production result;
    for (auto value : made.values)
      result.values.emplace_back(value);
    if (made.continuation)
      result.continuation = *made.continuation;
    result.next_ms = made.next_ms;
    result.error = made.error;
    return result;
  }

  mutable int calls = 0;

private:
  static ints numbers(argument_list arguments) {
    ints result;
    for (auto argument : arguments)
      result.push_back(std::stoll(*argument->if_number()));
    return result;
  }

  std::string name_;
  size_t arity_;
  ordinary call_;
  producing produce_;
};

inline evaluation value(int64_t v) { return {json{v}, std::nullopt}; }
inline evaluation fails(std::string why) { return {{}, std::move(why)}; }

/// Builds a graph node by node and calls it, carrying the state along.
class graph {
public:
  size_t input(std::string name) {
    plan.nodes.push_back(
        {std::move(name), &typed_value<int64_t>::instance(), "std::int64_t", nullptr, {}});
    return plan.nodes.size() - 1;
  }

  size_t apply(const fake_function& function, std::vector<size_t> arguments) {
    plan.nodes.push_back({{}, nullptr, {}, &function, std::move(arguments)});
    return plan.nodes.size() - 1;
  }

  fake_function& function(std::string name, size_t arity, fake_function::ordinary call) {
    return functions_.emplace_back(std::move(name), arity, std::move(call));
  }

  fake_function& producer(std::string name, size_t arity, fake_function::producing produce) {
    return functions_.emplace_back(std::move(name), arity, std::move(produce));
  }

  /// A sum of `arity` arguments.
  fake_function& sum(size_t arity) {
    return function("sum", arity, [](effect_port&, const ints& in) {
      int64_t total = 0;
      for (auto i : in)
        total += i;
      return value(total);
    });
  }

  /// Fails for negative arguments, else gives them on.
  fake_function& positive() {
    return function("positive", 1, [](effect_port&, const ints& in) {
      return in[0] < 0 ? fails("negative") : value(in[0]);
    });
  }

  /// Calls without any state.
  json fresh(const std::string& request) {
    state = {};
    return step(request);
  }

  /// Calls with the state of the call before.
  /// @returns the reply, or {"fault": text}
  json step(const std::string& request) {
    auto what = parse(request);
    if (!state.is_null() && !what.find("state"))
      what.add("state", state);
    call_port port{granted, nullptr};
    auto reply = call_graph(plan, what, context, port);
    if (auto fault = std::get_if<call_fault>(&reply)) {
      json result;
      result.add("fault", fault->text);
      return result;
    }
    auto value = parse(std::get<std::string>(reply));
    if (auto after = value.find("state"))
      state = *after;
    return value;
  }

  graph_plan plan{"g", false, {}};
  call_context context{"build-1", {}, 1000};
  std::vector<std::string> granted;
  json state;

private:
  std::deque<fake_function> functions_; // plan points into it
};

/// An outcome in short: "5", "!text", "skip 3", "-".
inline std::string outcome_of(const json& node) {
  if (auto output = node.find("output"))
    return to_text(*output);
  if (auto error = node.find("error"))
    return "!" + *error->if_string();
  if (auto skipped = node.find("skipped"))
    return "skip " + to_text(*skipped);
  return "-";
}

/// `changed` in short: "0=1, 2=!text".
inline std::string changed(const json& reply) {
  if (auto fault = reply.find("fault"))
    return "fault: " + *fault->if_string();
  auto list = reply.find("changed");
  if (!list)
    return "no step: " + to_text(reply);
  std::string text;
  for (auto& entry : *list->if_array())
    text += (text.empty() ? "" : ", ") + to_text(*entry.find("id")) + "=" + outcome_of(entry);
  return text;
}

/// `nodes` in short: "1, !text, skip 1, -".
inline std::string nodes(const json& reply) {
  std::string text;
  for (auto& node : *reply.find("nodes")->if_array())
    text += (text.empty() ? "" : ", ") + outcome_of(node);
  return text;
}

inline std::string next_call(const json& reply) { return to_text(*reply.find("nextCallAt")); }

} // namespace eval_test
