#include "actors/eval/runtime/process/confinement.hpp"

#include <csignal>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caf_app::eval {

namespace {

bool set_limit(__rlimit_resource what, uint64_t value) {
  const rlimit both{value, value};
  return ::setrlimit(what, &both) == 0;
}

} // namespace

std::string confinement_status::json_text() const {
  auto word = [](bool value) { return value ? "true" : "false"; };
  return std::string{"{\"noNewPrivileges\":"} + word(no_new_privileges) +
         ",\"limits\":" + word(limits) + ",\"seccomp\":" + word(seccomp) +
         ",\"landlock\":" + std::to_string(landlock_version) + "}";
}

bool forbid_new_privileges() { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

bool limit_resources(const resource_limits& limits) {
  bool ok = set_limit(RLIMIT_CORE, 0);
  if (limits.memory_bytes > 0)
    ok = set_limit(RLIMIT_AS, limits.memory_bytes) && ok;
  if (limits.cpu_seconds > 0)
    ok = set_limit(RLIMIT_CPU, limits.cpu_seconds) && ok;
  if (limits.may_write && limits.file_bytes > 0)
    ok = set_limit(RLIMIT_FSIZE, limits.file_bytes) && ok;
  return ok;
}

void close_descriptors(int first) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, ~0u, 0) == 0)
    return;
#endif
  rlimit open{};
  ::getrlimit(RLIMIT_NOFILE, &open);
  for (auto fd = static_cast<rlim_t>(first); fd < open.rlim_cur; ++fd)
    ::close(static_cast<int>(fd));
}

// The kernel ignores the key: it is where the child's number would go if one asked for it.
int fork_with_key(uint64_t key) {
  return static_cast<int>(::syscall(SYS_clone, SIGCHLD, nullptr, key, nullptr, nullptr));
}

void die_with_parent(int parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::getppid() != parent)
    ::_exit(1);
}

} // namespace caf_app::eval
