// System call filters. Allow-lists, because what a later kernel adds shall not be open by default.
// Refused calls fail with EPERM, clone3 with ENOSYS: the C library then falls back to clone.
#include "actors/eval/runtime/process/confinement.hpp"

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include <fcntl.h>
#include <seccomp.h>
#include <sys/prctl.h>

namespace caf_app::eval {

namespace {

/// Computing, and talking on descriptors that are open already.
constexpr int everybody[] = {SCMP_SYS(arch_prctl),
                             SCMP_SYS(brk),
                             SCMP_SYS(clock_getres),
                             SCMP_SYS(clock_gettime),
                             SCMP_SYS(clock_nanosleep),
                             SCMP_SYS(close),
                             SCMP_SYS(close_range),
                             SCMP_SYS(execve),
                             SCMP_SYS(exit),
                             SCMP_SYS(exit_group),
                             SCMP_SYS(fstat),
                             SCMP_SYS(futex),
                             SCMP_SYS(getcpu),
                             SCMP_SYS(getpid),
                             SCMP_SYS(getppid),
                             SCMP_SYS(getrandom),
                             SCMP_SYS(getrlimit),
                             SCMP_SYS(gettid),
                             SCMP_SYS(gettimeofday),
                             SCMP_SYS(lseek),
                             SCMP_SYS(madvise),
                             SCMP_SYS(mmap),
                             SCMP_SYS(mprotect),
                             SCMP_SYS(mremap),
                             SCMP_SYS(munmap),
                             SCMP_SYS(nanosleep),
                             SCMP_SYS(newfstatat),
                             SCMP_SYS(poll),
                             SCMP_SYS(ppoll),
                             SCMP_SYS(read),
                             SCMP_SYS(readv),
                             SCMP_SYS(recvmsg),
                             SCMP_SYS(restart_syscall),
                             SCMP_SYS(rseq),
                             SCMP_SYS(rt_sigaction),
                             SCMP_SYS(rt_sigprocmask),
                             SCMP_SYS(rt_sigreturn),
                             SCMP_SYS(sched_getaffinity),
                             SCMP_SYS(sched_yield),
                             SCMP_SYS(seccomp),
                             SCMP_SYS(sendmsg),
                             SCMP_SYS(set_robust_list),
                             SCMP_SYS(set_tid_address),
                             SCMP_SYS(setpgid),
                             SCMP_SYS(sigaltstack),
                             SCMP_SYS(time),
                             SCMP_SYS(wait4),
                             SCMP_SYS(write),
                             SCMP_SYS(writev)};

/// What only the zygote needs, to start and watch its workers and to tighten itself.
constexpr int drivers[] = {SCMP_SYS(dup2), SCMP_SYS(pidfd_open), SCMP_SYS(landlock_create_ruleset),
                           SCMP_SYS(landlock_add_rule), SCMP_SYS(landlock_restrict_self)};

/// What drivers may do with a descriptor. Not F_SETFL, F_SETOWN, F_SETSIG: they make the kernel
/// send a signal of one's choice to a process of one's choice, and flags belong to all who share a
/// file.
constexpr unsigned descriptor_commands[] = {F_GETFD, F_SETFD, F_GETFL};

/// What drivers may do with themselves; see also PR_SET_PDEATHSIG below.
constexpr unsigned process_options[] = {PR_GET_NAME, PR_SET_NAME, PR_GET_SECCOMP, PR_SET_SECCOMP,
                                        PR_SET_NO_NEW_PRIVS};

/// The kernel looks at the lower half only where it takes an int, so that has to be compared.
constexpr uint64_t int_mask = 0xffffffff;

/// Files, as far as Landlock lets them, and processes.
constexpr int compilers[] = {SCMP_SYS(access),     SCMP_SYS(chdir),
                             SCMP_SYS(chmod),      SCMP_SYS(copy_file_range),
                             SCMP_SYS(dup),        SCMP_SYS(dup2),
                             SCMP_SYS(dup3),       SCMP_SYS(faccessat),
                             SCMP_SYS(faccessat2), SCMP_SYS(fadvise64),
                             SCMP_SYS(fallocate),  SCMP_SYS(fchmod),
                             SCMP_SYS(fchmodat),   SCMP_SYS(fdatasync),
                             SCMP_SYS(flock),      SCMP_SYS(fstatfs),
                             SCMP_SYS(fsync),      SCMP_SYS(ftruncate),
                             SCMP_SYS(getcwd),     SCMP_SYS(getdents64),
                             SCMP_SYS(getegid),    SCMP_SYS(geteuid),
                             SCMP_SYS(getgid),     SCMP_SYS(getpgrp),
                             SCMP_SYS(getrusage),  SCMP_SYS(getuid),
                             SCMP_SYS(ioctl),      SCMP_SYS(link),
                             SCMP_SYS(linkat),     SCMP_SYS(lstat),
                             SCMP_SYS(mkdir),      SCMP_SYS(mkdirat),
                             SCMP_SYS(open),       SCMP_SYS(openat),
                             SCMP_SYS(pipe),       SCMP_SYS(pipe2),
                             SCMP_SYS(pread64),    SCMP_SYS(pselect6),
                             SCMP_SYS(pwrite64),   SCMP_SYS(readlink),
                             SCMP_SYS(readlinkat), SCMP_SYS(rename),
                             SCMP_SYS(renameat),   SCMP_SYS(renameat2),
                             SCMP_SYS(rmdir),      SCMP_SYS(select),
                             SCMP_SYS(setrlimit),  SCMP_SYS(stat),
                             SCMP_SYS(statfs),     SCMP_SYS(statx),
                             SCMP_SYS(symlink),    SCMP_SYS(sysinfo),
                             SCMP_SYS(tgkill),     SCMP_SYS(times),
                             SCMP_SYS(umask),      SCMP_SYS(uname),
                             SCMP_SYS(unlink),     SCMP_SYS(unlinkat),
                             SCMP_SYS(utimensat),  SCMP_SYS(waitid),
                             SCMP_SYS(kill),       SCMP_SYS(sched_setaffinity),
                             SCMP_SYS(clone),      SCMP_SYS(fork),
                             SCMP_SYS(vfork),      SCMP_SYS(fcntl),
                             SCMP_SYS(prctl),      SCMP_SYS(prlimit64)};

/// A filter under construction; released with it.
class filter {
public:
  explicit filter(uint32_t otherwise) : context_(seccomp_init(otherwise)) {}
  ~filter() { seccomp_release(context_); }
  filter(const filter&) = delete;
  filter& operator=(const filter&) = delete;

  template <class Calls>
  void set(uint32_t action, const Calls& calls) {
    for (auto call : calls)
      ok_ = ok_ && call != __NR_SCMP_ERROR && seccomp_rule_add(context_, action, call, 0) == 0;
  }

  /// The call with arguments that match all of `arguments`.
  void set(uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments) {
    ok_ = ok_ &&
          seccomp_rule_add_array(context_, action, call, static_cast<unsigned>(arguments.size()),
                                 arguments.begin()) == 0;
  }

  bool load() { return context_ && ok_ && seccomp_load(context_) == 0; }

private:
  scmp_filter_ctx context_;
  bool ok_ = true;
};

scmp_arg_cmp is_int(unsigned argument, uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, int_mask, value};
}

scmp_arg_cmp is(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }

/// Calls that a driver needs in one form and must not have in others.
void allow_parts(filter& calls, uint64_t fork_key) {
  for (const auto command : descriptor_commands)
    calls.set(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), {is_int(1, command)});
  for (const auto option : process_options)
    calls.set(SCMP_ACT_ALLOW, SCMP_SYS(prctl), {is_int(0, option)});
  // A worker that could clear it would outlive its server.
  calls.set(SCMP_ACT_ALLOW, SCMP_SYS(prctl), {is_int(0, PR_SET_PDEATHSIG), is(1, SIGKILL)});
  // Reading one's own limits; setting them works on other processes of the same user too.
  calls.set(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), {is_int(0, 0), is(2, 0)});
  calls.set(SCMP_ACT_ALLOW, SCMP_SYS(clone), {is_int(0, SIGCHLD), is(1, 0), is(2, fork_key)});
}

} // namespace

bool allow_system_calls(confined kind, uint64_t fork_key) {
  filter calls{SCMP_ACT_ERRNO(EPERM)};
  calls.set(SCMP_ACT_ALLOW, everybody);
  if (kind == confined::driver) {
    calls.set(SCMP_ACT_ALLOW, drivers);
    allow_parts(calls, fork_key);
  } else {
    calls.set(SCMP_ACT_ALLOW, compilers);
  }
  calls.set(SCMP_ACT_ERRNO(ENOSYS), std::initializer_list<int>{SCMP_SYS(clone3)});
  return calls.load();
}

bool tighten_system_calls(tightened how) {
  filter calls{SCMP_ACT_ALLOW};
  const auto refused = SCMP_ACT_ERRNO(EPERM);
  calls.set(refused, std::initializer_list<int>{SCMP_SYS(execve), SCMP_SYS(execveat)});
  if (how == tightened::worker)
    calls.set(refused, std::initializer_list<int>{SCMP_SYS(clone), SCMP_SYS(fork), SCMP_SYS(vfork),
                                                  SCMP_SYS(pidfd_open), SCMP_SYS(setpgid)});
  return calls.load();
}

} // namespace caf_app::eval
