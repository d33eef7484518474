#define CAF_SUITE child_process
#include "caf_app/process/child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/sockets.hpp"

using namespace caf_app;
using caf_app::test::patience_seconds;

namespace {

std::shared_ptr<child_process> shell(const std::string& script,
                                     const std::filesystem::path& folder = {}) {
  auto result = child_process::start({"/bin/sh", "-c", script}, folder);
  CAF_REQUIRE(result);
  return *result;
}

bool readable(int fd) {
  pollfd state{fd, POLLIN, 0};
  return ::poll(&state, 1, patience_seconds * 1000) == 1;
}

std::string read_all(int fd) {
  std::string result;
  char buffer[4096];
  while (readable(fd)) {
    const auto n = ::read(fd, buffer, sizeof buffer);
    if (n <= 0)
      break;
    result.append(buffer, static_cast<size_t>(n));
  }
  return result;
}

process_exit end_of(child_process& process) {
  CAF_REQUIRE(readable(process.pidfd()));
  const auto result = process.reap();
  CAF_REQUIRE(result);
  return *result;
}

bool exists(int pid) { return ::kill(pid, 0) == 0; }

} // namespace

CAF_TEST(both streams and the exit status arrive) {
  auto process = shell("echo out; echo err >&2; exit 7");
  CAF_CHECK_EQUAL(read_all(process->output()), "out\n");
  CAF_CHECK_EQUAL(read_all(process->errors()), "err\n");
  const auto how = end_of(*process);
  CAF_CHECK_EQUAL(how.status, 7);
  CAF_CHECK_EQUAL(how.signal, 0);
  CAF_CHECK(!process->reap());
}

CAF_TEST(a process has its own group and default signals and no other descriptors) {
  test::unique_fd stray{::dup(1)}; // not close-on-exec
  auto process = shell("ls /proc/self/fd; ps -o pgid= -p $$ | tr -d ' '; cat; "
                       "exec grep -E 'Sig(Blk|Ign)' /proc/self/status");
  const auto text = read_all(process->output());
  const auto wanted = "0\n1\n2\n3\n" + std::to_string(process->pid()) +
                      "\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n";
  // 3 is the folder that ls reads; cat ends at once on /dev/null; a shell blocks signals for a
  // moment when it starts something, so the last program takes its place.
  CAF_CHECK_EQUAL(text, wanted);
  CAF_CHECK(end_of(*process).clean());
}

CAF_TEST(it runs in the folder that was asked for) {
  auto process = shell("pwd", "/usr/bin");
  const auto text = read_all(process->output());
  CAF_CHECK_EQUAL(text, "/usr/bin\n");
}

CAF_TEST(lines reach the stdin of one that takes commands) {
  auto process =
      child_process::start({"/bin/sh", "-c", "read a; read b; echo $b $a"}, {}, child_input::pipe);
  CAF_REQUIRE(process);
  CAF_CHECK((*process)->tell("one"));
  CAF_CHECK((*process)->tell("two"));
  CAF_CHECK_EQUAL(read_all((*process)->output()), "two one\n");
  CAF_CHECK(end_of(**process).clean());
  CAF_CHECK(!(*process)->tell("three"));
}

CAF_TEST(one that does not read loses lines and never blocks) {
  ::signal(SIGPIPE, SIG_IGN);
  auto process = child_process::start({"/bin/sh", "-c", "exec sleep 1000"}, {}, child_input::pipe);
  CAF_REQUIRE(process);
  const std::string line(1000, 'x');
  int told = 0;
  while (told < 1000 && (*process)->tell(line))
    ++told;
  CAF_CHECK(told > 10 && told < 1000);
  CAF_CHECK(!(*process)->tell(std::string(5000, 'x')));
  CAF_CHECK(!shell("true")->tell("nobody reads"));
}

CAF_TEST(a signal ends it and says which) {
  auto process = shell("sleep 1000");
  CAF_CHECK(!process->reap());
  process->signal(SIGTERM);
  CAF_CHECK_EQUAL(end_of(*process).signal, SIGTERM);
}

CAF_TEST(what a process leaves in its group ends with it) {
  auto process = shell("sleep 1000 & echo $!; exit 0");
  std::string line;
  for (char c = 0;
       readable(process->output()) && ::read(process->output(), &c, 1) == 1 && c != '\n';)
    line += c;
  const auto left = std::stoi(line);
  CAF_CHECK(end_of(*process).clean());
  CAF_CHECK_EQUAL(read_all(process->output()), ""); // its stdout closes only when it is gone
  CAF_MESSAGE("left over: " << left);
}

CAF_TEST(a process ends with its object) {
  auto process = shell("trap '' TERM; echo on; while :; do sleep 1000; done");
  CAF_REQUIRE(readable(process->output()));
  const auto pid = process->pid();
  CAF_CHECK(exists(pid));
  process = nullptr;
  CAF_CHECK(!exists(pid));
}

CAF_TEST(a process ends with the thread that started it) {
  std::shared_ptr<child_process> process;
  std::thread{[&] {
    process = shell("echo on; exec sleep 1000");
    CAF_REQUIRE(readable(process->output())); // the signal is set before the program runs
  }}.join();
  CAF_CHECK_EQUAL(end_of(*process).signal, SIGKILL);
}

CAF_TEST(what cannot be run says so) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{}, {"/no/such/program"}, {"/etc/passwd"}}) {
    const auto process = child_process::start(command, {});
    CAF_REQUIRE(!process);
    CAF_CHECK(code_of(process.error()) == errc::start_failed);
  }
  auto lost = shell("true", "/no/such/folder");
  CAF_CHECK_EQUAL(end_of(*lost).status, 127);
}
