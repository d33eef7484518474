#include "actors/eval/builds_actor.hpp"

#include <utility>

#include "actors/eval/api_reply.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::eval {

namespace {

int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(wall_now().time_since_epoch())
      .count();
}

int to_ms(std::chrono::milliseconds duration) { return static_cast<int>(duration.count()); }

toolchain tools_of(const evaluator_options& options, const build_store& store) {
  auto result = default_toolchain(store.cache_folder());
  switch (options.config.confinement) {
    case confinement_wanted::best: result.mode = confinement_mode::best; break;
    case confinement_wanted::required: result.mode = confinement_mode::required; break;
    case confinement_wanted::off: result.mode = confinement_mode::off; break;
  }
  result.busy_poll = options.loop && options.loop->busy_polls();
  result.worker_memory_bytes = options.config.memory;
  result.build_timeout_ms = to_ms(options.config.build_timeout);
  result.handshake_timeout_ms = to_ms(options.config.handshake_timeout);
  return result;
}

/// A deadline of a waiting post.
struct wait_over {
  std::string build;
  uint64_t ticket = 0;
};

} // namespace

} // namespace caf_app::eval

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::wait_over)

namespace caf_app::eval {

builds_actor::builds_actor(caf::actor_config& cfg, evaluator_options_ptr options, build_store store)
    : app_actor(cfg), options_(std::move(options)), store_(std::move(store)),
      tools_(tools_of(*options_, store_)) {
  for (auto& status : store_.list())
    known_.emplace(status.id, std::move(status));
}

caf::behavior builds_actor::make_behavior() {
  warming_ = std::make_shared<cancel_flag>();
  run_job(warming_job, [tools = tools_, cancel = warming_] {
    return header_ready{warm_up(tools.cache_folder + "/warm-up", tools, cancel->fd())};
  });
  return {
      [this](eval_build_request& request) { return on_request(request); },
      [this](const find_build& what) { return find(what.id); },
      [this](const eval_artefact_request& request) { return give(request); },
      [this](const release_build& what) {
        if (const auto pin = pins_.find(what.id); pin != pins_.end() && --pin->second == 0)
          pins_.erase(pin);
      },
      [this](worker_output& said) { on_output(said); },
      [this](build_prepared& done) { on_prepared(done); },
      [this](build_fetched& done) { on_fetched(done); },
      [this](build_finished& done) { on_finished(done); },
      [this](const header_ready& done) { on_header(done); },
      [this](const log_poll_ticket& again) { on_log_poll(again.ticket); },
      [this](const wait_over& late) {
        const auto build = running_.find(late.build);
        if (build == running_.end())
          return;
        std::erase_if(build->second.waiters, [&](const waiter& who) {
          if (who.ticket == late.ticket)
            answer(who, build->second.status);
          return who.ticket == late.ticket;
        });
      },
      [this](const eval_cancel& gone) {
        for (auto& [id, build] : running_)
          std::erase_if(build.waiters, [&](const waiter& who) { return who.request == gone.id; });
      },
  };
}

/// Jobs see the flag and end; they are threads that the actor system waits for.
void builds_actor::on_exit() {
  if (warming_)
    warming_->raise();
  for (auto& [id, build] : running_)
    build.cancel->raise();
  app_actor::on_exit();
}

void builds_actor::post(eval_build_request& request, reply_promise promise) {
  const auto job = ++last_job_;
  auto body = std::make_shared<std::string>(std::move(request.body));
  const auto local = options_->config.allow_local ? local_sources::allowed : local_sources::refused;
  run_job(job, [job, body, local, organisation = request.organisation, salt = store_.salt()] {
    auto result = std::make_shared<prepared_build>(prepare_build(*body, organisation, local, salt));
    result->request = body;
    return build_prepared{job, std::move(result)};
  });
  postings_.emplace(job, posting{std::move(request), std::move(promise)});
}

void builds_actor::on_prepared(build_prepared& done) {
  if (auto again = made_again_.extract(done.job); !again.empty())
    return on_made_again(again.mapped(), done);
  const auto found = postings_.find(done.job);
  if (found == postings_.end())
    return;
  auto from = std::move(found->second);
  postings_.erase(found);
  auto& what = *done.result;
  if (what.status != 200) {
    from.promise.deliver(
        refusal(what.status, what.fault, what.status == 403 ? "denied" : "invalid_request"));
    return;
  }
  if (const auto running = running_.find(what.id); running != running_.end())
    return wait_for(running->second, from);
  if (const auto known = known_.find(what.id);
      known != known_.end() && known->second.state == build_state::ready) {
    store_.touch(what.id);
    from.promise.deliver(json_reply_of(200, to_json(known->second)));
    return;
  }
  begin(std::move(done.result), from);
}

void builds_actor::begin(std::shared_ptr<prepared_build> what, posting& from) {
  const auto id = what->id;
  known_.erase(id);
  auto& build = running_[id];
  build.what = std::move(what);
  build.status.id = id;
  build.status.organisation = build.what->declared.organisation;
  build.status.source = build.what->source;
  build.status.created_ms = unix_ms();
  const auto is_here = !std::holds_alternative<git_source>(build.what->declared.source) ||
                       !build.what->files.empty();
  set_state(build, is_here ? build_state::queued : build_state::fetching);
  if (const auto& request = build.what->request)
    keep_request(store_.folder_of(id), *request);
  if (is_here)
    queue_.push_back(id);
  else
    fetch(id);
  wait_for(build, from);
  compile_next();
}

void builds_actor::wait_for(running_build& build, posting& from) {
  if (from.request.wait_ms == 0) {
    from.promise.deliver(json_reply_of(202, to_json(build.status)));
    return;
  }
  const auto ticket = ++last_ticket_;
  build.waiters.push_back({from.request.id, std::move(from.promise), ticket});
  delayed_send(this, std::chrono::milliseconds{from.request.wait_ms},
               wait_over{build.status.id, ticket});
}

void builds_actor::set_state(running_build& build, build_state state) {
  build.status.state = state;
  store_.put(build.status);
}

void builds_actor::finish(const std::string& id) {
  auto node = running_.extract(id);
  auto& build = node.mapped();
  if (build.cancelled)
    build.status.state = build_state::cancelled;
  build.status.took_ms = unix_ms() - build.status.created_ms;
  store_.put(build.status);
  store_.touch(id);
  for (auto& who : build.waiters)
    answer(who, build.status);
  options_->log->info(
      speaker_of(this), "build finished",
      {{"build", id}, {"state", to_string(build.status.state)}, {"ms", *build.status.took_ms}});
  known_[id] = std::move(build.status);
  answer_finders(id);
  make_room();
}

void builds_actor::answer(const waiter& who, const build_status& status) {
  auto promise = who.promise;
  const auto code = status.state == build_state::ready ? 200
                    : is_unfinished(status.state)      ? 202
                                                       : 422;
  promise.deliver(json_reply_of(static_cast<uint16_t>(code), to_json(status)));
}

void builds_actor::make_room() {
  std::vector<std::string> in_use;
  for (auto& [id, count] : pins_)
    in_use.push_back(id);
  for (auto& id : store_.evict(options_->config.store_max, in_use))
    known_.erase(id);
}

} // namespace caf_app::eval
