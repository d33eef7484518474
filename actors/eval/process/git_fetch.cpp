#include "actors/eval/process/git_fetch.hpp"

#include <filesystem>

#include "actors/eval/git_plan.hpp"
#include "actors/eval/process/build_log.hpp"
#include "actors/eval/process/job_pool.hpp"
#include "actors/eval/process/output_reader.hpp"
#include "actors/eval/process/snapshot.hpp"
#include "actors/eval/process/toolchain.hpp"

namespace caf_app::eval {

namespace {

/// Runs the commands one after the other. @returns what went wrong
std::optional<fetch_fault> run(const git_plan& plan, const fetch_options& options) {
  const auto timer = make_timer(options.timeout_ms);
  build_log log{options.log_path, options.log_bytes_max};
  const output_reader output{[&log](std::string_view text) { log.append(text); }};
  for (auto& command : plan.commands) {
    bool ok = false;
    std::string why;
    const auto end = run_jobs({{mortal_command(options.launcher, command.arguments), "/", "",
                                plan.environment, output.fd()}},
                              {1, timer.get(), options.cancel_fd},
                              [&](size_t, child_exit exit, const std::string& fault) {
                                ok = exit.ok() && fault.empty();
                                why = fault.empty() ? command.failure : fault;
                              });
    if (end == pool_end::cancelled)
      return fetch_fault{true, "cancelled"};
    if (end == pool_end::timed_out)
      return fetch_fault{false, "fetching took longer than " +
                                    std::to_string(options.timeout_ms / 1000) + " s"};
    if (!ok)
      return fetch_fault{false, std::move(why)};
  }
  return std::nullopt;
}

} // namespace

std::variant<std::vector<source_file>, fetch_fault> fetch_git(const git_source& from,
                                                              const fetch_options& options) {
  const auto plan = plan_git_fetch(from, options.folder);
  auto fault = run(plan, options);
  std::variant<std::vector<source_file>, std::string> files{std::string{}};
  if (!fault)
    files = snapshot_folder(plan.source_folder);
  std::error_code ec;
  std::filesystem::remove_all(options.folder, ec);
  if (fault)
    return std::move(*fault);
  if (auto why = std::get_if<std::string>(&files))
    return fetch_fault{false, std::move(*why)};
  return std::get<0>(std::move(files));
}

} // namespace caf_app::eval
