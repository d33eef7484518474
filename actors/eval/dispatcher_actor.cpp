#include "actors/eval/dispatcher_actor.hpp"

#include <algorithm>

#include "actors/eval/api_reply.hpp"

namespace caf_app::eval {

namespace {

constexpr std::chrono::seconds find_timeout{60}; // a driver may have to be copied
constexpr std::chrono::seconds tick{1};

worker_pool::options workers_of(const eval_config& config) {
  worker_pool::options result;
  result.workers = config.workers;
  result.queue_max = config.queue_max;
  result.tenant_share = config.tenant_share;
  result.idle_timeout = config.idle_timeout;
  return result;
}

/// Calls of one key may share a worker. State and policy are not in it.
std::string key_of(const eval_call& call) {
  std::string key;
  for (const auto* part : {&call.kind, &call.entry, &call.tenant, &call.user, &call.graph_id}) {
    key += *part;
    key += '\0';
  }
  return key;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A call has waited too long. A message, because a timer must not destroy itself.
struct call_due {
  uint64_t call = 0;
};

} // namespace

} // namespace caf_app::eval

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::call_due)

namespace caf_app::eval {

dispatcher_actor::dispatcher_actor(caf::actor_config& cfg, event_loop* loop,
                                   evaluator_options_ptr options, caf::actor supervisor)
    : loop_app_actor(cfg, loop), options_(std::move(options)), supervisor_(std::move(supervisor)),
      counters_(*options_->books), pool_(workers_of(options_->config)),
      ticker_([this] { on_tick(); }) {}

caf::behavior dispatcher_actor::make_behavior() {
  loop()->timers().arm(ticker_, loop()->now() + tick);
  return {
      [this](eval_call& call) { return on_call(call); },
      [this](eval_build_request& request) -> caf::result<eval_reply> {
        if (auto target = builds()) {
          delegate(target, std::move(request));
          return caf::delegated<eval_reply>{};
        }
        return refusal(503, "the evaluator starts", "unavailable");
      },
      [this](eval_artefact_request& request) -> caf::result<eval_artefact_chunk> {
        if (auto target = builds()) {
          delegate(target, std::move(request));
          return caf::delegated<eval_artefact_chunk>{};
        }
        return eval_artefact_chunk{};
      },
      [this](const eval_cancel& gone) { on_cancel(gone); },
      [this](forked_worker& forked) { on_forked(forked); },
      [this](const worker_ready& up) {
        pool_.started(up.worker, loop()->now());
        pump();
      },
      [this](worker_done& done) { on_done(done); },
      [this](const worker_gone& gone) {
        lose(gone.worker, gone.why);
        pump();
      },
      [this](const call_due& late) {
        if (const auto call = calls_.find(late.call);
            call != calls_.end() && call->second.handed_over == time_point{}) {
          pool_.cancel(late.call);
          reply(late.call,
                refusal(504, "the deadline passed before a worker was free", "deadline_exceeded"));
        }
      },
      [this](const build_gone& gone) { on_build_gone(gone.id); },
      [this](const dispatcher_drain&) { drain(); },
      [this](const json_request& order) { return on_order(order); },
  };
}

void dispatcher_actor::on_exit() {
  ticker_.cancel();
  // Whoever waits would wait for its deadline: an actor that ends tells nobody.
  options_->state->calls -= calls_.size();
  for (auto& [id, call] : calls_)
    call.promise.deliver(call.handed_over == time_point{}
                             ? refusal(503, "the dispatcher was stopped", "unavailable")
                             : refusal(502, "the dispatcher was stopped", "worker_crashed"));
  calls_.clear();
  for (auto& [id, build] : builds_)
    if (build.zygote)
      send_exit(build.zygote, caf::exit_reason::user_shutdown);
  loop_app_actor::on_exit();
}

caf::actor dispatcher_actor::builds() const {
  return options_->names->where_is("evaluator.builds." + options_->node);
}

caf::result<eval_reply> dispatcher_actor::on_call(eval_call& call) {
  if (options_->state->draining)
    return refusal(503, "the node stops", "draining");
  const auto id = ++last_call_;
  auto& open =
      calls_.try_emplace(id, [this, id] { caf::anon_send(caf::actor{this}, call_due{id}); })
          .first->second;
  ++options_->state->calls;
  auto time = options_->config.call_timeout;
  if (call.deadline_ms > 0)
    time = std::min(time, std::chrono::milliseconds{call.deadline_ms});
  open.arrived = loop()->now();
  open.deadline = open.arrived + time;
  open.promise = make_response_promise<reply_promise>();
  open.what = std::make_shared<eval_call>(std::move(call));
  if (const auto& sender = current_sender(); sender && sender->node() != system().node())
    open.front = caf::actor_cast<caf::actor>(sender);
  if (open.what->id != 0)
    by_client_id_[open.what->id] = id;
  loop()->timers().arm(open.timer, open.deadline);
  auto promise = open.promise;
  auto& build = builds_[open.what->build];
  if (build.known) {
    admit(id);
    pump();
    return promise;
  }
  build.calls.push_back(id);
  if (build.calls.size() == 1)
    ask(builds(), find_timeout, find_build{open.what->build})
        .then([this, name = open.what->build](found_build& found) { on_found(name, found); },
              [this, name = open.what->build](caf::error& why) {
                found_build none;
                none.refusal =
                    refusal(503, "the evaluator starts: " + describe(why), "unavailable");
                on_found(name, none);
              });
  return promise;
}

void dispatcher_actor::on_found(const std::string& id, found_build& found) {
  auto& build = builds_[id];
  const auto waiting = std::exchange(build.calls, {});
  if (found.refusal.status != 200) {
    if (!build.zygote)
      builds_.erase(id);
    for (auto call : waiting)
      reply(call, found.refusal);
    return;
  }
  build.known = true;
  build.info = std::move(found);
  for (auto call : waiting)
    admit(call);
  pump();
}

/// Puts a call into the queue, or refuses it.
void dispatcher_actor::admit(uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end())
    return; // it was given up meanwhile
  const auto& what = *found->second.what;
  auto& build = builds_[what.build];
  build.used = loop()->now();
  if (!what.visible_to.empty() && what.visible_to != build.info.organisation)
    return reply(id, refusal(404, "there is no build " + what.build, "not_found"));
  const auto& names = what.kind == "function" ? build.info.functions : build.info.graphs;
  if (!has(names, what.entry))
    return reply(id, refusal(404, "the build has no " + what.kind + " " + what.entry, "not_found"));
  std::vector<uint64_t> displaced;
  const auto verdict = pool_.submit({id, what.build, key_of(what), what.tenant}, displaced);
  const auto tenant_full = [this] {
    meter_.rejected();
    return refusal(429, "the share of this organisation is full", "tenant_full");
  };
  for (auto other : displaced)
    reply(other, tenant_full());
  if (verdict == worker_pool::admission::tenant_full)
    reply(id, tenant_full());
  else if (verdict == worker_pool::admission::queue_full) {
    meter_.rejected();
    reply(id, refusal(503, "too many calls wait", "queue_full"));
  }
}

void dispatcher_actor::pump() {
  for (auto worker : pool_.trim())
    end(worker);
  for (auto& step : pool_.next()) {
    switch (step.what) {
      case worker_pool::step::kind::run: run(step.call, step.worker); break;
      case worker_pool::step::kind::start: start(step.worker, step.build); break;
      case worker_pool::step::kind::end: end(step.worker); break;
    }
  }
  show_load();
}

void dispatcher_actor::reply(uint64_t call, eval_reply answer) {
  const auto found = calls_.find(call);
  if (found == calls_.end())
    return; // nobody waits for it any more
  counters_.ended(answer.status);
  if (const auto id = by_client_id_.find(found->second.what->id);
      id != by_client_id_.end() && id->second == call)
    by_client_id_.erase(id);
  auto promise = std::move(found->second.promise);
  calls_.erase(found);
  --options_->state->calls;
  promise.deliver(std::move(answer));
}

void dispatcher_actor::on_cancel(const eval_cancel& gone) {
  const auto found = by_client_id_.find(gone.id);
  if (found == by_client_id_.end()) {
    if (auto target = builds())
      send(target, gone);
    return;
  }
  const auto call = found->second;
  const auto is_known = builds_[calls_.at(call).what->build].known;
  if (pool_.cancel(call) || !is_known)
    reply(call, refusal(503, "cancelled", "cancelled"));
  show_load();
}

void dispatcher_actor::on_build_gone(const std::string& id) {
  const auto found = builds_.find(id);
  if (found == builds_.end())
    return;
  found->second.known = false;
  for (auto call : pool_.drop_build(id))
    reply(call, refusal(404, "the build was deleted", "not_found"));
  for (auto worker : pool_.retire_build(id))
    end(worker);
  pump();
}

void dispatcher_actor::drain() {
  options_->state->draining = true;
  for (auto& [id, build] : builds_)
    for (auto call : pool_.drop_build(id))
      reply(call, refusal(503, "the node stops", "draining"));
}

/// Ends what has been idle for long: workers, then the zygotes of builds without any.
void dispatcher_actor::on_tick() {
  const auto now = loop()->now();
  loop()->timers().arm(ticker_, now + tick);
  for (auto worker : pool_.retire(now))
    end(worker);
  for (auto i = builds_.begin(); i != builds_.end();) {
    auto& [id, build] = *i;
    const auto idle = !build.known || now - build.used >= options_->config.idle_timeout;
    if (!idle || !build.calls.empty() || pool_.workers_of(id) > 0 || pool_.waiting_of(id) > 0) {
      ++i;
      continue;
    }
    if (build.zygote)
      send_exit(build.zygote, caf::exit_reason::user_shutdown);
    if (auto target = builds(); target && build.known)
      send(target, release_build{id});
    i = builds_.erase(i);
  }
  show_load();
}

void dispatcher_actor::show_load() {
  meter_.busy(pool_.busy(), loop()->now());
  counters_.workers.set(static_cast<int64_t>(pool_.workers()));
  counters_.busy.set(static_cast<int64_t>(pool_.busy()));
  counters_.waiting.set(static_cast<int64_t>(pool_.waiting()));
  options_->state->workers = pool_.workers();
  options_->state->busy = pool_.busy();
  options_->state->waiting = pool_.waiting();
}

} // namespace caf_app::eval
