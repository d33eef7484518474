#define CAF_SUITE child
#include "actors/eval/process/child.hpp"

#include <csignal>

#include <caf/test/unit_test.hpp>

#include <poll.h>
#include <unistd.h>

using namespace caf_app::eval;

namespace {

child start(std::vector<std::string> arguments, int output = -1, int passed = -1) {
  child_options options;
  options.arguments = std::move(arguments);
  options.output = output;
  options.passed = passed;
  auto result = start_child(options);
  if (auto why = std::get_if<std::string>(&result))
    CAF_FAIL(*why);
  return std::get<child>(std::move(result));
}

bool ended(const child& process, int timeout_ms) {
  pollfd waiting{process.pidfd(), POLLIN, 0};
  return ::poll(&waiting, 1, timeout_ms) == 1;
}

child_exit wait(child& process) {
  if (!ended(process, 30'000))
    CAF_FAIL("the process does not end");
  auto exit = process.poll_exit();
  if (!exit)
    CAF_FAIL("no exit");
  return *exit;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[256];
  for (;;) {
    const auto got = ::read(fd, buffer, sizeof(buffer));
    if (got <= 0)
      return text;
    text.append(buffer, static_cast<size_t>(got));
  }
}

} // namespace

CAF_TEST(a process tells its status or its signal) {
  auto good = start({"/bin/true"});
  CAF_CHECK(wait(good).ok());
  auto bad = start({"/bin/sh", "-c", "exit 7"});
  CAF_CHECK_EQUAL(wait(bad).status, 7);
  auto killed = start({"/bin/sh", "-c", "kill -9 $$"});
  CAF_CHECK_EQUAL(wait(killed).signal, SIGKILL);
}

CAF_TEST(a program that is not there is an error) {
  child_options options;
  options.arguments = {"/no/such/program"};
  auto result = start_child(options);
  CAF_REQUIRE(std::holds_alternative<std::string>(result));
  CAF_CHECK_EQUAL(std::get<std::string>(result),
                  "posix_spawn /no/such/program: No such file or directory");
}

CAF_TEST(stdout and stderr go to the output and the environment is ours) {
  int both[2];
  CAF_REQUIRE(::pipe(both) == 0);
  owned_fd reading{both[0]};
  owned_fd writing{both[1]};
  auto process =
      start({"/bin/sh", "-c", "echo out; echo err >&2; echo $LC_ALL$HOME"}, writing.get());
  writing.reset();
  CAF_CHECK_EQUAL(read_all(reading.get()), "out\nerr\nC\n");
  CAF_CHECK(wait(process).ok());
}

CAF_TEST(the passed descriptor is number 3) {
  auto sockets = make_socket_pair();
  CAF_REQUIRE(sockets.has_value());
  auto process = start({"/bin/sh", "-c", "echo hello >&3"}, -1, sockets->second.get());
  sockets->second.reset();
  CAF_CHECK_EQUAL(read_all(sockets->first.get()), "hello\n");
  CAF_CHECK(wait(process).ok());
}

CAF_TEST(killing ends the whole group) {
  int both[2];
  CAF_REQUIRE(::pipe(both) == 0);
  owned_fd reading{both[0]};
  owned_fd writing{both[1]};
  auto process = start({"/bin/sh", "-c", "sleep 1000 & echo up; wait"}, writing.get());
  writing.reset();
  char first[3];
  CAF_REQUIRE(::read(reading.get(), first, sizeof(first)) == 3);
  CAF_CHECK_EQUAL(process.kill().signal, SIGKILL);
  CAF_CHECK_EQUAL(read_all(reading.get()), ""); // ends only when nobody holds the other end
}

CAF_TEST(what a process leaves in its group ends with it) {
  int both[2];
  CAF_REQUIRE(::pipe(both) == 0);
  owned_fd reading{both[0]};
  owned_fd writing{both[1]};
  auto process = start({"/bin/sh", "-c", "sleep 1000 & exit 0"}, writing.get());
  writing.reset();
  CAF_CHECK(wait(process).signal == 0);
  CAF_CHECK_EQUAL(read_all(reading.get()), "");
}
