// The jobs of the builds actor: fetches, compiles, and the header that all builds share.
#include "actors/eval/builds_actor.hpp"

#include "actors/eval/api_reply.hpp"
#include "actors/eval/build_id.hpp"
#include "actors/eval/process/git_fetch.hpp"

namespace caf_app::eval {

void builds_actor::fetch(const std::string& id) {
  auto& build = running_.at(id);
  const auto job = ++last_job_;
  jobs_.emplace(job, id);
  fetch_options options;
  options.folder = store_.folder_of(id) + "/fetch";
  options.log_path = store_.folder_of(id) + "/log";
  options.timeout_ms = static_cast<int>(options_->config.fetch_timeout.count());
  options.cancel_fd = build.cancel->fd();
  options.launcher = tools_.launcher;
  run_job(job, [job, options, what = build.what, cancel = build.cancel] {
    auto files = fetch_git(std::get<git_source>(what->declared.source), options);
    build_fetched result{job, {}, {}};
    if (auto fault = std::get_if<fetch_fault>(&files))
      result.fault = std::move(fault->text);
    else
      result.files = std::get<0>(std::move(files));
    return result;
  });
}

void builds_actor::on_fetched(build_fetched& done) {
  const auto job = jobs_.find(done.job);
  if (job == jobs_.end())
    return;
  const auto id = job->second;
  jobs_.erase(job);
  auto& build = running_.at(id);
  if (done.fault.empty()) {
    build.what->files = std::move(done.files);
    build.status.source = describe_source(build.what->declared.source, build.what->files);
    queue_.push_back(id);
    return compile_next();
  }
  diagnostic why;
  why.message = done.fault;
  build.status.diagnostics = to_json(std::vector{why});
  build.status.error = std::move(done.fault);
  build.status.state = build_state::failed;
  finish(id);
}

void builds_actor::on_header(const header_ready& done) {
  warming_ = nullptr;
  if (!done.fault.empty())
    options_->log->warning(speaker_of(this), done.fault);
  compile_next();
}

void builds_actor::compile_next() {
  // The first build needs the header anyway: it waits rather than make it once more.
  while (!warming_ && compiling_ < options_->config.build_slots && !queue_.empty()) {
    const auto id = queue_.front();
    queue_.pop_front();
    compile(id);
  }
}

void builds_actor::compile(const std::string& id) {
  auto& build = running_.at(id);
  set_state(build, build_state::building);
  options_->state->compiling = ++compiling_;
  const auto job = ++last_job_;
  jobs_.emplace(job, id);
  run_job(job, [job, tools = tools_, what = build.what, cancel = build.cancel,
                folder = store_.folder_of(id)] {
    build_request request;
    request.declared = what->declared;
    request.files = std::move(what->files);
    request.folder = folder;
    request.cancel_fd = cancel->fd();
    return build_finished{job, std::make_shared<build_result>(build_driver(request, tools))};
  });
}

void builds_actor::on_finished(build_finished& done) {
  const auto job = jobs_.find(done.job);
  if (job == jobs_.end())
    return;
  const auto id = job->second;
  jobs_.erase(job);
  options_->state->compiling = --compiling_;
  auto& status = running_.at(id).status;
  auto& result = *done.result;
  status.diagnostics = to_json(result.diagnostics);
  status.error = std::move(result.error);
  switch (result.how) {
    case build_result::end::ready:
      status.state = build_state::ready;
      status.description = std::move(result.description);
      break;
    case build_result::end::failed: status.state = build_state::failed; break;
    case build_result::end::cancelled: status.state = build_state::cancelled; break;
  }
  finish(id);
  compile_next();
}

/// A job that ends without a result has died of an exception: memory, most likely.
void builds_actor::on_job_lost(uint64_t job) {
  if (job == warming_job) {
    if (warming_)
      on_header({"the precompiled header's job died"});
    return;
  }
  if (const auto posted = postings_.find(job); posted != postings_.end()) {
    posted->second.promise.deliver(refusal(500, "the request cannot be prepared", "internal"));
    postings_.erase(posted);
  }
  if (jobs_.count(job) > 0) {
    build_finished lost{job, std::make_shared<build_result>()};
    lost.result->error = "the build's job died";
    compiling_ += running_.at(jobs_.at(job)).status.state == build_state::building ? 0 : 1;
    on_finished(lost);
  }
}

} // namespace caf_app::eval
