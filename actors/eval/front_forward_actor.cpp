// Where a front sends things: calls to the node that their key says, operations on builds to
// whoever has the build.
#include "actors/eval/front_actor.hpp"

#include <algorithm>

#include "actors/eval/api_reply.hpp"
#include "actors/eval/build_list.hpp"
#include "actors/eval/placement.hpp"

namespace caf_app::eval {

namespace {

constexpr std::string_view dispatcher_prefix = "eval.";
constexpr std::chrono::seconds answer_grace{1}; // a dispatcher keeps the deadline itself
constexpr std::chrono::milliseconds build_time{5'000};

eval_reply unavailable() { return refusal(503, "no evaluator is reachable", "unavailable"); }

eval_reply lost() {
  return refusal(502, "the evaluator's node went away while the call ran", "evaluator_lost");
}

/// Effects that leave traces outside: such a call is not repeated unless it was surely not begun.
bool leaves_traces(const eval_call& call) {
  return std::any_of(call.effects.begin(), call.effects.end(),
                     [](auto& effect) { return effect == "http" || effect == "filesystem"; });
}

std::string placement_key(const eval_call& call) {
  std::string key;
  for (const auto* part :
       {&call.build, &call.kind, &call.entry, &call.tenant, &call.user, &call.graph_id}) {
    key += *part;
    key += '\0';
  }
  return key;
}

} // namespace

void front_actor::on_name(const name_event& event) {
  // The own one is known at once and without a quorum, by a name of this node.
  const auto& own = options_->node;
  const auto is_own = event.name == "evaluator.dispatcher." + own;
  if (!is_own && (!event.name.starts_with(dispatcher_prefix) ||
                  event.name.substr(dispatcher_prefix.size()) == own))
    return;
  const auto node = is_own ? own : event.name.substr(dispatcher_prefix.size());
  if (event.change == registry_change::removed)
    forget_node(node);
  else if (event.holder)
    nodes_[node].dispatcher = event.holder;
}

void front_actor::find_own_node() {
  if (auto own = options_->names->where_is("evaluator.dispatcher." + options_->node))
    nodes_[options_->node].dispatcher = std::move(own);
}

/// A dispatcher that ends while it has calls tells nobody: those that it was asked for are lost.
void front_actor::forget_node(const std::string& node) {
  std::vector<std::pair<uint64_t, size_t>> lost_calls;
  for (auto& [id, attempt] : attempts_)
    if (attempt.current == node)
      lost_calls.emplace_back(id, attempt.next);
  nodes_.erase(node);
  for (auto [id, turn] : lost_calls)
    on_lost(id, turn, caf::make_error(errc::target_failed));
}

/// What waits on a node is cancelled there; a call that is nowhere is forgotten here.
void front_actor::on_cancel(uint64_t id) {
  for (auto& [name, node] : nodes_)
    send(node.dispatcher, eval_cancel{id});
}

caf::actor front_actor::only_dispatcher() const {
  return nodes_.size() == 1 ? nodes_.begin()->second.dispatcher : caf::actor{};
}

/// Names of nodes, the best first.
std::vector<std::string> front_actor::order_for(const std::string& key) const {
  std::vector<eval_node> nodes;
  for (auto& [name, node] : nodes_)
    nodes.push_back({name, node.calls});
  std::vector<std::string> result;
  for (auto index : placement_order(key, nodes))
    result.push_back(nodes[index].name);
  return result;
}

caf::result<eval_reply> front_actor::place_call(eval_call& call) {
  if (const auto target = only_dispatcher()) {
    delegate(target, std::move(call));
    return caf::delegated<eval_reply>{};
  }
  if (nodes_.empty())
    return unavailable();
  if (call.id == 0)
    call.id = ++last_own_id_;
  const auto id = call.id;
  auto& attempt = attempts_[id];
  attempt.order = order_for(placement_key(call));
  const auto time = call.deadline_ms > 0 ? std::chrono::milliseconds{call.deadline_ms}
                                         : options_->config.call_timeout;
  attempt.deadline = ask_now() + time;
  attempt.call = std::make_shared<eval_call>(std::move(call));
  attempt.promise = make_response_promise<reply_promise>();
  auto promise = attempt.promise;
  try_next(id);
  return promise;
}

/// Sends a call to the next node of its order.
void front_actor::try_next(uint64_t id) {
  auto& attempt = attempts_.at(id);
  while (attempt.next < attempt.order.size()) {
    const auto name = attempt.order[attempt.next++];
    const auto node = nodes_.find(name);
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(attempt.deadline - ask_now());
    if (node == nodes_.end())
      continue; // it has left meanwhile
    if (left.count() <= 0)
      return finish(id, refusal(504, "the deadline passed", "deadline_exceeded"));
    ++node->second.calls;
    auto copy = *attempt.call;
    copy.deadline_ms = static_cast<uint32_t>(left.count());
    attempt.current = name;
    const auto turn = attempt.next;
    ask(node->second.dispatcher, left + answer_grace, std::move(copy))
        .then([this, id, turn](eval_reply& reply) { on_answer(id, turn, reply); },
              [this, id, turn](caf::error& why) { on_lost(id, turn, why); });
    return;
  }
  finish(id, attempt.last.status != 200 ? std::move(attempt.last) : unavailable());
}

void front_actor::one_less(const std::string& name) {
  if (const auto node = nodes_.find(name); node != nodes_.end() && node->second.calls > 0)
    --node->second.calls;
}

/// The attempt if it still waits for the node that it asked in that turn.
front_actor::attempt* front_actor::find_turn(uint64_t id, size_t turn) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.next != turn)
    return nullptr;
  one_less(found->second.current);
  return &found->second;
}

void front_actor::on_answer(uint64_t id, size_t turn, eval_reply& reply) {
  auto* found = find_turn(id, turn);
  if (!found)
    return;
  if (reply.status != 503 || found->started)
    return finish(id, std::move(reply));
  found->last = std::move(reply); // it waits nowhere: another node may take it
  try_next(id);
}

void front_actor::on_lost(uint64_t id, size_t turn, const caf::error& why) {
  const auto* found = find_turn(id, turn);
  if (!found)
    return;
  if (code_of(why) == errc::timed_out)
    return finish(id, refusal(504, "the deadline passed", "deadline_exceeded"));
  if (!was_not_taken(why) && (found->started || leaves_traces(*found->call)))
    return finish(id, lost());
  try_next(id);
}

void front_actor::finish(uint64_t id, eval_reply reply) {
  auto node = attempts_.extract(id);
  node.mapped().promise.deliver(std::move(reply));
}

// -- builds
// ----------------------------------------------------------------------------------------

/// A new build is made here if this node can, else where its content says.
caf::result<eval_reply> front_actor::place_post(eval_build_request& request) {
  auto own = nodes_.find(options_->node);
  if (own == nodes_.end() && !nodes_.empty())
    own = nodes_.find(order_for(request.body).front());
  if (own == nodes_.end())
    return unavailable();
  delegate(own->second.dispatcher, std::move(request));
  return caf::delegated<eval_reply>{};
}

/// Asks all nodes; whoever has the build answers.
caf::result<eval_reply> front_actor::place_query(eval_build_request& request) {
  if (const auto target = only_dispatcher()) {
    delegate(target, std::move(request));
    return caf::delegated<eval_reply>{};
  }
  if (nodes_.empty())
    return unavailable();
  auto all = std::make_shared<gathering>();
  all->operation = request.operation;
  all->waiting = nodes_.size();
  all->promise = make_response_promise<reply_promise>();
  const auto time = build_time + std::chrono::milliseconds{request.wait_ms};
  for (auto& [name, node] : nodes_)
    ask(node.dispatcher, time, request)
        .then(
            [this, all](eval_reply& reply) {
              all->replies.push_back(std::move(reply));
              gathered(*all);
            },
            [this, all](caf::error&) { gathered(*all); });
  return all->promise;
}

void front_actor::gathered(gathering& all) {
  if (--all.waiting > 0)
    return;
  if (all.replies.empty()) {
    all.promise.deliver(unavailable());
    return;
  }
  if (all.operation == "list") {
    all.promise.deliver(merge_lists(all.replies));
    return;
  }
  // The one that knows the build; a ready one before others.
  auto best = all.replies.begin();
  for (auto i = all.replies.begin(); i != all.replies.end(); ++i)
    if (is_better(*i, *best))
      best = i;
  all.promise.deliver(std::move(*best));
}

} // namespace caf_app::eval
