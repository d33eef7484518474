#define CAF_SUITE git_fetch
#include "actors/eval/process/git_fetch.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <caf/test/unit_test.hpp>

#include "actors/eval/process/job_pool.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app::eval;

namespace {

/// A repository with one file in two commits on `main`, and a branch `other` at the first.
struct repository {
  repository() {
    const std::string script =
        "set -e; git init -q -b main r; cd r; git config user.name n; git config user.email e;"
        "mkdir p; echo one > p/a.cpp; git add .; git commit -qm 1; git branch other;"
        "git rev-parse HEAD > ../first; echo two > p/a.cpp; git commit -qam 2;"
        "git rev-parse HEAD > ../second";
    run_jobs({{{"/bin/sh", "-c", script},
               folder.path(),
               folder / "log",
               {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1"}}},
             {}, [&](size_t, child_exit exit, const std::string&) { ok = exit.ok(); });
  }

  std::string line_of(const std::string& name) const {
    std::string line;
    std::getline(std::ifstream{folder / name}, line);
    return line;
  }

  std::string fetch(const std::string& commit, const std::string& branch = "") {
    fetch_options options;
    options.folder = folder / "work";
    options.log_path = folder / "fetch_log";
    options.log_bytes_max = log_bytes_max;
    auto result = fetch_git({"file://" + folder.path() + "/r", commit, branch, "p"}, options);
    if (auto fault = std::get_if<fetch_fault>(&result))
      return "refused: " + fault->text;
    std::string text;
    for (auto& file : std::get<0>(result))
      text += file.path + "=" + file.content;
    return text;
  }

  scratch_folder folder;
  uint64_t log_bytes_max = 1'000'000;
  bool ok = false;
};

} // namespace

CAF_TEST(the sources of a commit come from its branch or alone) {
  repository r;
  CAF_REQUIRE(r.ok);
  CAF_CHECK_EQUAL(r.fetch(r.line_of("second")), "a.cpp=two\n");
  CAF_CHECK_EQUAL(r.fetch(r.line_of("first"), "main"), "a.cpp=one\n");
}

CAF_TEST(a branch without the commit and a commit that is not there are refused) {
  repository r;
  CAF_REQUIRE(r.ok);
  CAF_CHECK_EQUAL(r.fetch(r.line_of("second"), "other"),
                  "refused: the branch does not contain the commit");
  CAF_CHECK_EQUAL(r.fetch(std::string(40, 'a')),
                  "refused: the repository, branch or commit is not there");
  CAF_CHECK_EQUAL(r.fetch(r.line_of("second"), "none"),
                  "refused: the repository, branch or commit is not there");
}

CAF_TEST(the log keeps the beginning of what git and its server say) {
  repository r;
  CAF_REQUIRE(r.ok);
  const auto log_within = [&](uint64_t bytes_max) {
    std::filesystem::remove(r.folder / "fetch_log");
    r.log_bytes_max = bytes_max;
    r.fetch(std::string(40, 'a'));
    std::string text;
    std::getline(std::ifstream{r.folder / "fetch_log"}, text, '\0');
    return text;
  };
  // How much git says of its progress is a matter of time; the exact bound is tested with
  // build_log.
  CAF_CHECK_EQUAL(log_within(10).substr(10), "\n== the log is full: the rest is cut\n");
  CAF_CHECK(log_within(1'000'000).find("the rest is cut") == std::string::npos);
}
