#include "caf_app/supervision/supervisor_core.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/supervision/exit_request.hpp"

namespace caf_app {

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
    request_exit(handle, host_.host_actor().address(), caf::exit_reason::user_shutdown);
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
  const auto kill = [](incarnation& x) { request_exit(x.handle, {}, caf::exit_reason::kill); };
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
                              join_path(options_.path, x.spec.id), options_.tree, options_.log};
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

} // namespace caf_app
