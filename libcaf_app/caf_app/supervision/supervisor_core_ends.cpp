// The second half of supervisor_core: how children end, and what happens when they do not.
#include "caf_app/supervision/supervisor_core.hpp"

#include <algorithm>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/liveness.hpp"
#include "caf_app/supervision/exit_request.hpp"

namespace caf_app {

void supervisor_core::on_child_end(child_key key, const caf::error& told, tree_state if_kept) {
  const auto found = children_.find(key);
  if (found == children_.end() || !found->second.actor)
    return;
  auto& x = found->second;
  const auto handle = std::move(x.actor->handle);
  x.actor.reset();
  const auto reason = end_reason(*caf::actor_cast<caf::abstract_actor*>(handle), told);
  report(supervision_event_kind::ended, x.spec.id, handle.id(), reason);
  plan_.ended(key, reason, host_.host_now());
  after_end(key, reason, if_kept);
  run();
}

/// Brings the books in line with the plan after an end, a failed start or a removal.
void supervisor_core::after_end(child_key key, const caf::error& reason, tree_state if_kept) {
  auto& x = children_.at(key);
  for (auto& done : std::exchange(x.waits_for_end, {}))
    done({});
  if (!plan_.contains(key)) {
    options_.tree->remove(x.node);
    by_id_.erase(x.spec.id);
    children_.erase(key);
    return;
  }
  const bool waits = plan_.state_of(key) == restart_plan::child_state::waiting;
  options_.tree->set_ended(x.node, waits ? tree_state::restarting : if_kept,
                           reason ? describe(reason) : std::string{});
  if (waits)
    report(supervision_event_kind::restarting, x.spec.id, 0, reason,
           std::max(plan_.due_of(key) - host_.host_now(), std::chrono::nanoseconds{0}));
}

void supervisor_core::on_adopted_end(uint64_t key, const caf::error& told) {
  auto node = adopted_.extract(key);
  if (node.empty())
    return;
  auto& x = node.mapped();
  options_.tree->retire(x.node, supervision_tree::retired::node_too);
  if (options_.log) {
    const auto reason = end_reason(*caf::actor_cast<caf::abstract_actor*>(x.actor.handle), told);
    if (is_abnormal(reason))
      report(supervision_event_kind::ended, x.id, x.actor.handle.id(), reason);
  }
  for (auto& done : x.waits_for_end)
    done({});
  if (plan_.closing() && adopted_.empty())
    run();
}

void supervisor_core::request_stop(incarnation& x, std::chrono::milliseconds timeout) {
  if (x.stopping)
    return;
  x.stopping = true;
  x.killed = timeout.count() == 0;
  x.deadline = host_.host_now() + (x.killed ? options_.kill_grace : timeout);
  request_exit(x.handle, host_.host_actor().address(),
               x.killed ? caf::exit_reason::kill : caf::exit_reason::user_shutdown);
}

/// @returns whether the actor has to be written off
bool supervisor_core::check_deadline(incarnation& x, std::string_view id,
                                     supervision_tree::node_id node) {
  if (x.deadline > host_.host_now())
    return false;
  if (!x.killed) {
    report(supervision_event_kind::ignored_request, id, x.handle.id());
    x.killed = true;
    x.deadline = host_.host_now() + options_.kill_grace;
    request_exit(x.handle, host_.host_actor().address(), caf::exit_reason::kill);
    return false;
  }
  report(supervision_event_kind::ignored_kill, id, x.handle.id());
  options_.tree->set_state(node, tree_state::failed);
  host_.unwatch_child(x.watch);
  return true;
}

void supervisor_core::on_timer() {
  if (finished_)
    return;
  for (auto at = adopted_.begin(); at != adopted_.end();) {
    auto& [key, x] = *at++;
    if (check_deadline(x.actor, x.id, x.node))
      on_adopted_end(key, caf::exit_reason::kill);
  }
  std::vector<child_key> lost;
  for (auto& [key, x] : children_)
    if (x.actor && check_deadline(*x.actor, x.spec.id, x.node))
      lost.push_back(key);
  for (const auto key : lost)
    on_child_end(key, caf::exit_reason::kill, tree_state::failed);
  run();
}

void supervisor_core::arm() {
  auto due = plan_.wakeup().value_or(time_point::max());
  for (const auto& [key, x] : children_)
    if (x.actor)
      due = std::min(due, x.actor->deadline);
  for (const auto& [key, x] : adopted_)
    due = std::min(due, x.actor.deadline);
  if (due != time_point::max())
    host_.set_timer(due);
}

void supervisor_core::report(supervision_event_kind kind, std::string_view id, uint64_t actor_id,
                             caf::error reason, std::chrono::nanoseconds delay) {
  if (!options_.log)
    return;
  auto path = id.empty() ? options_.path : join_path(options_.path, id);
  options_.log({kind, std::move(path), actor_id, std::move(reason), delay});
}

} // namespace caf_app
