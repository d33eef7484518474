// A slow second opinion about graphs, written from the rules and not from the engine: outcomes in a
// map, every pass searches for the next node by looking at all of them, wake-ups in an ordered set.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/eval_graphs.hpp"

namespace eval_test {

/// What a node of the model does; numbers keep functions simple and many outcomes equal.
struct model_node {
  enum class kind { input, constant, sum, picky, burst, ticker };

  kind what = kind::input;
  std::vector<size_t> arguments;
  int64_t parameter = 0;
};

/// The functions of the nodes, shared by model and engine: they are not what is compared.
struct model_function {
  static evaluation call(const model_node& node, const ints& in) {
    int64_t total = node.parameter;
    for (auto i : in)
      total += i;
    if (node.what == model_node::kind::picky && total % 3 == 0)
      return fails("picky about " + std::to_string(node.parameter));
    return value(total % 5);
  }

  static run produce(const model_node& node, const ints& in, int64_t now,
                     std::optional<int64_t> resume) {
    int64_t total = node.parameter;
    for (auto i : in)
      total += i;
    run result;
    if (node.what == model_node::kind::burst) {
      if (total % 4 == 3)
        result.error = "no burst";
      else
        for (int64_t i = 0; i < total % 4; ++i)
          result.values.push_back((total + i) % 5);
      return result;
    }
    const auto round = resume.value_or(0);
    if (round % 3 != 2)
      result.values.push_back((total + round) % 5);
    result.continuation = round + 1;
    if (round < 4)
      result.next_ms = now + 1 + (total + round) % 3 - (total % 7 == 6 ? 5 : 0);
    return result;
  }
};

class model {
public:
  using skip = std::pair<char, size_t>;
  using held = std::variant<int64_t, std::string, skip>;

  model(std::vector<model_node> nodes, bool cutoff) : nodes_(std::move(nodes)), cutoff_(cutoff) {}

  /// One step; @returns `changed` in short.
  std::string step(const std::vector<std::pair<size_t, int64_t>>& inputs, int64_t now) {
    now_ = now;
    changed_.clear();
    if (!std::exchange(started_, true)) {
      for (size_t id = 0; id < nodes_.size(); ++id)
        if (nodes_[id].what != model_node::kind::input && nodes_[id].arguments.empty())
          spread(id, compute(id));
      for (auto [id, value] : inputs)
        spread(id, put(id, value));
    } else {
      for (auto [id, value] : inputs)
        if (!held_.contains(id) || held_.at(id) != held{value})
          spread(id, put(id, value));
    }
    for (int budget = 256; budget > 0 && work(); --budget)
      one_emission();
    return changed_;
  }

  std::string nodes() const {
    std::string text;
    for (size_t id = 0; id < nodes_.size(); ++id)
      text += (id > 0 ? ", " : "") + (held_.contains(id) ? shown(held_.at(id)) : "-");
    return text;
  }

  std::string next_call() const {
    if (work())
      return std::to_string(now_);
    return timers_.empty() ? "null" : std::to_string(timers_.begin()->first);
  }

private:
  bool work() const {
    return !queue_.empty() || (!timers_.empty() && timers_.begin()->first <= now_);
  }

  void one_emission() {
    if (!queue_.empty()) {
      auto [id, value] = queue_.front();
      queue_.erase(queue_.begin());
      spread(id, put(id, value));
      return;
    }
    const auto id = timers_.begin()->second;
    timers_.erase(timers_.begin());
    auto resume = resume_.at(id);
    resume_.erase(id);
    ints in;
    for (auto argument : nodes_[id].arguments)
      in.push_back(std::get<int64_t>(held_.at(argument)));
    spread(id, accept(id, model_function::produce(nodes_[id], in, now_, resume)));
  }

  /// @returns whether the node emits
  bool put(size_t id, held value) {
    const bool same = held_.contains(id) && held_.at(id) == value;
    if (!same) {
      held_.insert_or_assign(id, value);
      changed_ += (changed_.empty() ? "" : ", ") + std::to_string(id) + "=" + shown(value);
    }
    return !(same && cutoff_);
  }

  void spread(size_t from, bool emits) {
    if (!emits)
      return;
    std::set<size_t> emitted{from};
    std::set<size_t> visited{from};
    for (bool found = true; found;) {
      found = false;
      for (size_t id = *visited.rbegin() + 1; id < nodes_.size() && !found; ++id)
        for (auto argument : nodes_[id].arguments)
          found = found || emitted.contains(argument);
      if (!found)
        return;
      size_t id = *visited.rbegin();
      for (bool touched = false; !touched;) {
        ++id;
        for (auto argument : nodes_[id].arguments)
          touched = touched || emitted.contains(argument);
      }
      visited.insert(id);
      if (compute(id))
        emitted.insert(id);
    }
  }

  static bool produces(const model_node& node) {
    return node.what == model_node::kind::burst || node.what == model_node::kind::ticker;
  }

  bool compute(size_t id) {
    auto& node = nodes_[id];
    if (produces(node)) {
      std::vector<std::pair<size_t, int64_t>> kept;
      for (auto& entry : queue_)
        if (entry.first != id)
          kept.push_back(entry);
      queue_ = kept;
      std::erase_if(timers_, [&](auto& timer) { return timer.second == id; });
      resume_.erase(id);
    }
    ints in;
    std::optional<size_t> first_bad;
    for (auto argument : node.arguments) {
      if (!held_.contains(argument))
        return false;
      if (auto number = std::get_if<int64_t>(&held_.at(argument)))
        in.push_back(*number);
      else if (!first_bad)
        first_bad = argument;
    }
    if (first_bad)
      return put(id, skip{'s', *first_bad});
    if (produces(node))
      return accept(id, model_function::produce(node, in, now_, std::nullopt));
    auto result = model_function::call(node, in);
    if (result.error)
      return put(id, *result.error);
    return put(id, std::stoll(*result.output.if_number()));
  }

  bool accept(size_t id, const run& made) {
    if (made.error)
      return put(id, *made.error);
    if (made.next_ms && *made.next_ms <= now_)
      return put(id, "the next time " + std::to_string(*made.next_ms) + " is not after now, " +
                         std::to_string(now_));
    if (made.next_ms) {
      timers_.emplace(*made.next_ms, id);
      resume_[id] = made.continuation;
    }
    for (size_t i = 1; i < made.values.size(); ++i)
      queue_.emplace_back(id, made.values[i]);
    if (!made.values.empty())
      return put(id, made.values[0]);
    if (held_.contains(id) && !std::holds_alternative<int64_t>(held_.at(id)))
      held_.erase(id);
    return false;
  }

  static std::string shown(const held& value) {
    if (auto number = std::get_if<int64_t>(&value))
      return std::to_string(*number);
    if (auto text = std::get_if<std::string>(&value))
      return "!" + *text;
    return "skip " + std::to_string(std::get<skip>(value).second);
  }

  std::vector<model_node> nodes_;
  bool cutoff_;
  bool started_ = false;
  int64_t now_ = 0;
  std::string changed_;
  std::map<size_t, held> held_;
  std::vector<std::pair<size_t, int64_t>> queue_;
  std::set<std::pair<int64_t, size_t>> timers_;
  std::map<size_t, std::optional<int64_t>> resume_;
};

} // namespace eval_test
