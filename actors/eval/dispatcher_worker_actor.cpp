// What a dispatcher does with processes: zygotes and workers start, run calls, end.
#include "actors/eval/dispatcher_actor.hpp"

#include "actors/eval/api_reply.hpp"
#include "actors/eval/output_actor.hpp"
#include "actors/eval/worker_actor.hpp"
#include "actors/eval/zygote_actor.hpp"
#include "caf_app/messages/supervision.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t short_id = 12; // of a build, in the tree

} // namespace

void dispatcher_actor::show(const std::string& id, const caf::actor& child) const {
  if (supervisor_)
    caf::anon_send(supervisor_, adopt_child{id, child});
}

void dispatcher_actor::run(uint64_t call, uint64_t worker) {
  auto& open = calls_.at(call);
  open.timer.cancel();
  open.handed_over = loop()->now();
  counters_.queue_seconds.observe(to_seconds(open.handed_over - open.arrived));
  meter_.handed_over(open.handed_over - open.arrived, open.handed_over);
  if (open.front)
    send(open.front, eval_started{open.what->id});
  auto& runs = workers_.at(worker);
  runs.call = call;
  send(runs.actor, worker_job{call, open.what, open.deadline});
}

void dispatcher_actor::start(uint64_t worker, const std::string& id) {
  auto& build = builds_[id];
  if (!build.zygote) {
    auto sockets = make_socket_pair();
    auto output = std::make_shared<owned_fd>();
    if (sockets) {
      *output = std::move(sockets->second);
      show("output-" + id.substr(0, short_id),
           spawn_output(system(), loop(), id, builds(), std::move(sockets->first)));
    }
    build.zygote = spawn_zygote(
        system(), {build.info.tools, build.info.driver, caf::actor{this}, std::move(output)});
    show("zygote-" + id.substr(0, short_id), build.zygote);
    build.zygote_number = ++last_zygote_;
    watch(build.zygote, [this, id, number = build.zygote_number](const down&) {
      const auto found = builds_.find(id);
      if (found != builds_.end() && found->second.zygote_number == number)
        found->second.zygote = nullptr;
    });
  }
  workers_[worker].build = id;
  counters_.cold_starts.add();
  send(build.zygote, fork_worker{worker});
}

void dispatcher_actor::on_forked(forked_worker& forked) {
  const auto found = workers_.find(forked.worker);
  if (found == workers_.end())
    return; // not wanted any more: its socket closes, and it ends
  if (!forked.fault.empty()) {
    const auto build = found->second.build;
    workers_.erase(found);
    pool_.ended(forked.worker);
    for (auto call : pool_.drop_build(build))
      reply(call, refusal(502, "no worker can be started: " + forked.fault, "worker_crashed"));
    if (auto known = builds_.find(build); known != builds_.end() && known->second.known) {
      known->second.known = false; // its driver may be lost: the next call has it looked for
      if (auto target = this->builds())
        send(target, release_build{build});
    }
    return pump();
  }
  worker_options options;
  options.id = forked.worker;
  options.dispatcher = caf::actor{this};
  options.pid = forked.pid;
  options.pidfd = std::move(forked.pidfd);
  options.socket = std::move(forked.socket);
  options.handshake_timeout = options_->config.handshake_timeout;
  options.files_folder = (options_->data_dir / "files").string();
  auto& worker = found->second;
  worker.pid = forked.pid;
  worker.actor = spawn_on<worker_actor>(system(), loop(), std::move(options));
  show("worker-" + std::to_string(forked.worker), worker.actor);
  watch(worker.actor, [this, id = forked.worker](const down&) {
    lose(id, "the worker was stopped");
    pump();
  });
}

void dispatcher_actor::on_done(worker_done& done) {
  const auto found = workers_.find(done.worker);
  if (found == workers_.end() || found->second.call != done.call)
    return;
  found->second.call = 0;
  const auto now = loop()->now();
  if (const auto call = calls_.find(done.call); call != calls_.end()) {
    counters_.service_seconds.observe(to_seconds(now - call->second.handed_over));
    meter_.finished(now - call->second.handed_over, now);
  }
  auto& build = builds_[found->second.build];
  build.used = now;
  const auto has_to_end = !build.known; // its build was deleted
  if (done.ends)
    counters_.kills.add();
  if (done.ends || has_to_end) {
    pool_.ended(done.worker);
    if (has_to_end && !done.ends)
      send(found->second.actor, worker_stop{});
    workers_.erase(found);
  } else {
    pool_.finished(done.worker, now);
  }
  reply(done.call, std::move(done.reply));
  pump();
}

/// A worker that ended without having said so.
void dispatcher_actor::lose(uint64_t worker, std::string_view why) {
  const auto found = workers_.find(worker);
  if (found == workers_.end())
    return;
  const auto call = found->second.call;
  workers_.erase(found);
  pool_.ended(worker);
  if (call == 0)
    return;
  counters_.kills.add();
  reply(call, refusal(502, why, "worker_crashed"));
}

/// Takes the place of an idle worker; the pool knows already.
void dispatcher_actor::end(uint64_t worker) {
  const auto found = workers_.find(worker);
  if (found == workers_.end())
    return;
  send(found->second.actor, worker_stop{});
  workers_.erase(found);
}

} // namespace caf_app::eval
