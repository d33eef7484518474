// Confines itself, then becomes the program that it was told: drivers and compilers are started
// through it, so that they are confined before their first instruction and nothing has to run
// between fork and exec of a server with many threads.
//
//   confine --kind driver|compiler|none --mode best|required --parent PID [--stay yes]
//           [--fork-key NUMBER] [--memory BYTES] [--cpu SECONDS] [--file BYTES]
//           [--read PATH]... [--write PATH]... [--device PATH]... -- PROGRAM ARGUMENTS
//
// Whatever the kind, the program ends with its parent. Programs with children of their own (a
// compiler has some) need --stay: the parent-death signal does not reach those, so this process
// stays above them and ends the whole process group.
//
//   confine --probe      prints which layers this host has
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/eval/runtime/process/confinement.hpp"

namespace {

using namespace caf_app::eval;

constexpr int failure = 126; // as shells say "found but could not be run"

struct options {
  confined kind = confined::driver;
  bool is_confined = true;
  bool stay = false;
  bool required = false;
  bool probe = false;
  int parent = 0;
  uint64_t fork_key = 0;
  resource_limits limits;
  landlock_rules rules;
  char** program = nullptr;
};

bool set(options& to, std::string_view name, const char* value) {
  const auto number = std::strtoull(value, nullptr, 10);
  if (name == "--kind") {
    to.kind = std::strcmp(value, "compiler") == 0 ? confined::compiler : confined::driver;
    to.is_confined = std::strcmp(value, "none") != 0;
  } else if (name == "--stay") {
    to.stay = true;
  } else if (name == "--mode")
    to.required = std::strcmp(value, "required") == 0;
  else if (name == "--parent")
    to.parent = static_cast<int>(number);
  else if (name == "--fork-key")
    to.fork_key = number;
  else if (name == "--memory")
    to.limits.memory_bytes = number;
  else if (name == "--cpu")
    to.limits.cpu_seconds = number;
  else if (name == "--file")
    to.limits.file_bytes = number;
  else if (name == "--read")
    to.rules.read.emplace_back(value);
  else if (name == "--write")
    to.rules.write.emplace_back(value);
  else if (name == "--device")
    to.rules.devices.emplace_back(value);
  else
    return false;
  return true;
}

bool parse(int argc, char** argv, options& to) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name{argv[i]};
    if (name == "--probe") {
      to.probe = true;
      return true;
    }
    if (name == "--") {
      to.program = argv + i + 1;
      return i + 1 < argc;
    }
    if (i + 1 == argc || !set(to, name, argv[++i]))
      return false;
  }
  return false;
}

confinement_status confine(const options& from) {
  confinement_status status;
  auto limits = from.limits;
  limits.may_write = from.kind == confined::compiler;
  status.no_new_privileges = forbid_new_privileges();
  status.limits = limit_resources(limits);
  status.landlock_version = restrict_files(from.rules) ? landlock_version() : 0;
  status.seccomp =
      allow_system_calls(from.kind, from.fork_key); // last: it forbids what others need
  return status;
}

void end_group(int) { ::kill(0, SIGKILL); }

/// Forks. Returns in the child; the parent waits for it and ends as it does.
void stay_above(int parent) {
  struct sigaction action {};
  action.sa_handler = end_group;
  ::sigaction(SIGTERM, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (::getppid() != parent)
    ::_exit(1);
  const auto self = ::getpid();
  const auto child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    die_with_parent(self);
    return;
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(self, WTERMSIG(status));
  }
  ::_exit(child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : failure);
}

} // namespace

int main(int argc, char** argv) {
  options what;
  if (!parse(argc, argv, what)) {
    std::fputs("confine: bad arguments\n", stderr);
    return failure;
  }
  close_descriptors(4);
  if (what.parent > 0 && what.stay)
    stay_above(what.parent);
  else if (what.parent > 0)
    die_with_parent(what.parent);
  const auto status = what.is_confined ? confine(what) : confinement_status{};
  if (what.probe) {
    std::puts(status.json_text().c_str());
    return 0;
  }
  if (what.is_confined && what.required && !status.complete()) {
    std::fprintf(stderr, "confine: this host lacks a layer: %s\n", status.json_text().c_str());
    return failure;
  }
  ::execv(what.program[0], what.program);
  std::perror("confine: exec");
  return failure;
}
