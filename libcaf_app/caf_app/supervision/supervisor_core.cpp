#include "caf_app/supervision/supervisor_core.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

namespace {

void send_exit(const caf::actor& to, caf::actor_addr from, const caf::error& reason) {
  // A kill overtakes what is queued; a request to end is handled after it.
  const auto priority = reason == caf::exit_reason::kill ? caf::message_priority::high
                                                         : caf::message_priority::normal;
  auto* target = caf::actor_cast<caf::abstract_actor*>(to);
  target->eq_impl(caf::make_message_id(priority), nullptr, nullptr,
                  caf::exit_msg{std::move(from), reason});
}

std::string text_of_end(const caf::error& reason) {
  return reason ? describe(reason) : std::string{};
}

} // namespace

std::string to_string(supervision_event_kind x) {
  switch (x) {
    case supervision_event_kind::started: return "started";
    case supervision_event_kind::start_failed: return "start failed";
    case supervision_event_kind::ended: return "ended";
    case supervision_event_kind::restarting: return "restarting";
    case supervision_event_kind::gave_up: return "gave up";
    case supervision_event_kind::ignored_request: return "ignored the request to end";
    case supervision_event_kind::ignored_kill: return "ignored kill";
  }
  return "unknown";
}

supervisor_core::supervisor_core(supervisor_host& host, supervisor_options options)
    : host_(host), options_(std::move(options)), plan_(options_.restart) {
  if (!options_.tree)
    options_.tree = std::make_shared<supervision_tree>();
  if (const auto known = options_.tree->find_node(options_.path)) {
    node_ = *known;
  } else {
    node_ = options_.tree->add(supervision_tree::root, options_.path, child_kind::supervisor);
    owns_node_ = true;
  }
}

void supervisor_core::start() {
  if (owns_node_)
    options_.tree->set_started(node_, host_.host_actor().address(), host_.host_now());
  running_ = true; // nobody starts before all are known
  for (auto& spec : std::exchange(options_.children, {})) {
    const auto id = spec.id;
    if (auto added = add(std::move(spec)); !added) {
      report(supervision_event_kind::start_failed, id, 0, added.error());
      plan_.shut_down(std::move(added.error()));
      break;
    }
  }
  running_ = false;
  run();
}

// -- children ---------------------------------------------------------------------

caf::expected<void> supervisor_core::add(child_spec spec) {
  if (plan_.closing())
    return caf::make_error(errc::draining, options_.path);
  if (auto why = why_invalid_child(spec); !why.empty())
    return caf::make_error(errc::invalid_argument, std::move(why));
  if (by_id_.count(spec.id) != 0 || options_.tree->has_child(node_, spec.id))
    return caf::make_error(errc::conflict, "there is a child " + join_path(options_.path, spec.id));
  const auto key = plan_.add(spec.restart, spec.significant, host_.host_now());
  auto& x = children_[key];
  x.node = options_.tree->add(node_, spec.id, spec.kind);
  by_id_.emplace(spec.id, key);
  x.spec = std::move(spec);
  run();
  return caf::unit;
}

void supervisor_core::adopt(std::string id, caf::actor handle) {
  if (!handle)
    return;
  if (finished_) {
    send_exit(handle, host_.host_actor().address(), caf::exit_reason::user_shutdown);
    return;
  }
  if (by_id_.count(id) != 0 || options_.tree->has_child(node_, id))
    id += '-' + std::to_string(handle.id());
  const auto key = ++last_adopted_;
  auto& x = adopted_[key];
  x.node = options_.tree->add(node_, id, child_kind::worker);
  x.id = std::move(id);
  options_.tree->set_started(x.node, handle.address(), host_.host_now());
  x.actor.watch =
      host_.watch_child(handle, [this, key](const down& d) { on_adopted_end(key, d.reason); });
  x.actor.handle = std::move(handle);
  if (!plan_.closing())
    return;
  request_stop(x.actor, options_.adopted_shutdown_timeout);
  arm();
}

void supervisor_core::remove(const std::string& id, callback done) {
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    const auto key = found->second;
    children_.at(key).waits_for_end.push_back(std::move(done));
    plan_.remove(key);
    if (!plan_.contains(key))
      after_end(key, {}, tree_state::ended);
    run();
    return;
  }
  for (auto& [key, x] : adopted_) {
    if (x.id != id)
      continue;
    x.waits_for_end.push_back(std::move(done));
    options_.tree->set_state(x.node, tree_state::stopping);
    request_stop(x.actor, options_.adopted_shutdown_timeout);
    arm();
    return;
  }
  done(caf::make_error(errc::not_found, join_path(options_.path, id)));
}

void supervisor_core::shut_down(caf::error reason) {
  plan_.shut_down(std::move(reason));
  run();
}

void supervisor_core::abandon() {
  finished_ = true;
  const auto kill = [](incarnation& x) { send_exit(x.handle, {}, caf::exit_reason::kill); };
  const auto answer = [](std::vector<callback>& waiting) {
    for (auto& done : waiting)
      done(caf::make_error(errc::draining, std::string{"the supervisor ended"}));
  };
  for (auto at = adopted_.rbegin(); at != adopted_.rend(); ++at) {
    kill(at->second.actor);
    answer(at->second.waits_for_end);
  }
  for (auto at = children_.rbegin(); at != children_.rend(); ++at) {
    if (at->second.actor)
      kill(*at->second.actor);
    answer(at->second.waits_for_end);
  }
  adopted_.clear();
  children_.clear();
  by_id_.clear();
  options_.tree->retire(node_, owns_node_ ? supervision_tree::retired::node_too
                                          : supervision_tree::retired::children_only);
}

// -- executing the plan -----------------------------------------------------------

void supervisor_core::run() {
  if (running_ || finished_)
    return;
  running_ = true;
  while (!finished_) {
    if (plan_.closing() && stop_adopted())
      break;
    const auto action = plan_.next(host_.host_now());
    if (!action)
      break;
    switch (action->kind) {
      case restart_plan::action_kind::start: start_child(action->child); break;
      case restart_plan::action_kind::stop: stop_child(action->child); break;
      case restart_plan::action_kind::finish: finish(action->reason); break;
    }
  }
  running_ = false;
  if (!finished_)
    arm();
}

void supervisor_core::start_child(child_key key) {
  auto& x = children_.at(key);
  options_.tree->set_restarts(x.node, plan_.restarts_of(key));
  auto started = call_start(x);
  const auto now = host_.host_now();
  if (!started) {
    report(supervision_event_kind::start_failed, x.spec.id, 0, started.error());
    plan_.start_failed(key, started.error(), now);
    after_end(key, started.error(), tree_state::ended);
    return;
  }
  plan_.started(key, now);
  options_.tree->set_started(x.node, started->address(), now);
  report(supervision_event_kind::started, x.spec.id, started->id());
  x.actor.emplace();
  x.actor->watch = host_.watch_child(
      *started, [this, key](const down& d) { on_child_end(key, d.reason, tree_state::ended); });
  x.actor->handle = std::move(*started);
}

caf::expected<caf::actor> supervisor_core::call_start(const child& x) {
  const start_context context{host_.host_actor().system(), host_.host_actor(),
                              join_path(options_.path, x.spec.id), options_.tree};
  try {
    auto result = x.spec.start(context);
    if (result && !*result)
      return caf::make_error(errc::start_failed, std::string{"it gave a null handle"});
    return result;
  } catch (const std::exception& err) {
    return caf::make_error(errc::start_failed, std::string{err.what()});
  } catch (...) {
    return caf::make_error(errc::start_failed, std::string{"an exception of unknown type"});
  }
}

void supervisor_core::stop_child(child_key key) {
  auto& x = children_.at(key);
  options_.tree->set_state(x.node, tree_state::stopping);
  request_stop(*x.actor, x.spec.shutdown_timeout);
}

/// @returns whether some adopted children are left
bool supervisor_core::stop_adopted() {
  for (auto& [key, x] : adopted_) {
    if (x.actor.stopping)
      continue;
    options_.tree->set_state(x.node, tree_state::stopping);
    request_stop(x.actor, options_.adopted_shutdown_timeout);
  }
  return !adopted_.empty();
}

void supervisor_core::finish(caf::error reason) {
  if (reason == errc::too_many_restarts)
    report(supervision_event_kind::gave_up, {}, host_.host_actor().id(), reason);
  finished_ = true;
  host_.end_host(std::move(reason));
}

// -- ends and deadlines -----------------------------------------------------------

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
  options_.tree->set_ended(x.node, waits ? tree_state::restarting : if_kept, text_of_end(reason));
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
  send_exit(x.handle, host_.host_actor().address(),
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
    send_exit(x.handle, host_.host_actor().address(), caf::exit_reason::kill);
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
