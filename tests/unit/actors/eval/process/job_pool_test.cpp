#define CAF_SUITE job_pool
#include "actors/eval/process/job_pool.hpp"

#include <fstream>
#include <sstream>

#include <caf/test/unit_test.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include "support/scratch_folder.hpp"

using namespace caf_app::eval;

namespace {

job shell(const scratch_folder& folder, const std::string& script, const std::string& output) {
  return {{"/bin/sh", "-c", script}, folder.path(), folder / output, {}};
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

} // namespace

CAF_TEST(all jobs run and each tells how it ended) {
  scratch_folder folder;
  std::vector<job> jobs;
  for (int i = 0; i < 5; ++i)
    jobs.push_back(shell(folder, "echo job; exit " + std::to_string(i), std::to_string(i)));
  std::vector<int> statuses(5, -1);
  const auto end =
      run_jobs(jobs, {2, -1, -1}, [&](size_t index, child_exit exit, const std::string&) {
        statuses[index] = exit.status;
      });
  CAF_CHECK(end == pool_end::done);
  CAF_CHECK(statuses == (std::vector<int>{0, 1, 2, 3, 4}));
  CAF_CHECK_EQUAL(content_of(folder / "3"), "job\n");
}

CAF_TEST(a job that cannot start is told and the others run) {
  scratch_folder folder;
  std::vector<job> jobs{{{"/no/such/program"}, folder.path(), folder / "a", {}},
                        shell(folder, "true", "b")};
  std::string fault;
  int ends = 0;
  run_jobs(jobs, {1, -1, -1}, [&](size_t, child_exit, const std::string& why) {
    ++ends;
    fault += why;
  });
  CAF_CHECK_EQUAL(ends, 2);
  CAF_CHECK(fault.find("No such file") != std::string::npos);
}

CAF_TEST(a deadline kills what runs) {
  scratch_folder folder;
  auto timer = make_timer(50);
  int ends = 0;
  const auto end = run_jobs({shell(folder, "sleep 1000", "a")}, {1, timer.get(), -1},
                            [&](size_t, child_exit, const std::string&) { ++ends; });
  CAF_CHECK(end == pool_end::timed_out);
  CAF_CHECK_EQUAL(ends, 0);
}

CAF_TEST(cancelling kills what runs) {
  scratch_folder folder;
  owned_fd cancel{::eventfd(1, EFD_CLOEXEC)};
  const auto end = run_jobs({shell(folder, "sleep 1000", "a")}, {1, -1, cancel.get()},
                            [](size_t, child_exit, const std::string&) {});
  CAF_CHECK(end == pool_end::cancelled);
}
