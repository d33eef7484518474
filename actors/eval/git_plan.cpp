#include "actors/eval/git_plan.hpp"

namespace caf_app::eval {

namespace {

git_plan::command git(std::vector<std::string> arguments, std::string failure) {
  std::vector<std::string> all{"/usr/bin/git", "-c", "core.hooksPath=/dev/null", "-c",
                               "core.fsmonitor=false"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return {std::move(all), std::move(failure)};
}

} // namespace

git_plan plan_git_fetch(const git_source& from, const std::string& folder) {
  git_plan plan;
  plan.environment = {"PATH=/usr/bin:/bin",
                      "LC_ALL=C",
                      "HOME=/nonexistent",
                      "GIT_CONFIG_NOSYSTEM=1",
                      "GIT_CONFIG_GLOBAL=/dev/null",
                      "GIT_TERMINAL_PROMPT=0",
                      "GIT_ALLOW_PROTOCOL=https:file"};
  plan.source_folder = from.path.empty() ? folder : folder + "/" + from.path;
  plan.commands.push_back(git({"init", "-q", "--template=", folder}, "no repository can be made"));
  std::vector<std::string> fetch{"-C", folder,      "fetch",
                                 "-q", "--no-tags", "--no-recurse-submodules"};
  if (from.branch.empty())
    fetch.emplace_back("--depth=1"); // with a branch its history tells whether it has the commit
  fetch.emplace_back("--");
  fetch.push_back(from.url);
  const auto branch = "refs/remotes/origin/" + from.branch;
  fetch.push_back(from.branch.empty() ? from.commit : "+refs/heads/" + from.branch + ":" + branch);
  plan.commands.push_back(git(std::move(fetch), "the repository, branch or commit is not there"));
  if (!from.branch.empty())
    plan.commands.push_back(git({"-C", folder, "merge-base", "--is-ancestor", from.commit, branch},
                                "the branch does not contain the commit"));
  plan.commands.push_back(git({"-C", folder, "checkout", "-q", "--detach", from.commit},
                              "the commit cannot be checked out"));
  return plan;
}

} // namespace caf_app::eval
