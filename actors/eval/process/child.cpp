#include "actors/eval/process/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caf_app::eval {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Everything that posix_spawn does to the child before exec.
class spawn_plan {
public:
  spawn_plan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                 POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_plan() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;

  void prepare(const child_options& options) {
    if (!options.folder.empty())
      ::posix_spawn_file_actions_addchdir_np(&actions_, options.folder.c_str());
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    if (options.output >= 0) {
      ::posix_spawn_file_actions_adddup2(&actions_, options.output, 1);
    } else {
      ::posix_spawn_file_actions_addopen(&actions_, 1, "/dev/null", O_WRONLY, 0);
    }
    ::posix_spawn_file_actions_adddup2(&actions_, 1, 2);
    // Last: it may overwrite what was read above. dup2 onto itself clears close-on-exec too.
    if (options.passed >= 0)
      ::posix_spawn_file_actions_adddup2(&actions_, options.passed, 3);
  }

  int run(pid_t& pid, const child_options& options) {
    auto arguments = pointers(options.arguments);
    auto environment = pointers(options.environment);
    return ::posix_spawn(&pid, arguments[0], &actions_, &attributes_, arguments.data(),
                         environment.data());
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

child_exit exit_of(int status) {
  if (WIFSIGNALED(status))
    return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

} // namespace

owned_fd& owned_fd::operator=(owned_fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int owned_fd::release() noexcept { return std::exchange(fd_, -1); }

void owned_fd::reset() noexcept {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
}

child::~child() {
  // A moved-from child has given its descriptor away.
  if (pidfd_)
    kill();
}

std::optional<child_exit> child::poll_exit() {
  siginfo_t info{};
  if (pid_ < 0 ||
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return std::nullopt;
  return kill(); // it has ended; what it left in its group shall end too
}

child_exit child::kill() {
  if (pid_ < 0)
    return {};
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return exit_of(status);
}

std::variant<child, std::string> start_child(const child_options& options) {
  spawn_plan plan;
  plan.prepare(options);
  pid_t pid = -1;
  if (const auto error = plan.run(pid, options))
    return "posix_spawn " + options.arguments.front() + ": " + std::strerror(error);
  owned_fd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (!pidfd) {
    std::string why = std::string{"pidfd_open: "} + std::strerror(errno);
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return why;
  }
  return child{pid, std::move(pidfd)};
}

std::optional<std::pair<owned_fd, owned_fd>> make_socket_pair() {
  int both[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0)
    return std::nullopt;
  return std::pair{owned_fd{both[0]}, owned_fd{both[1]}};
}

} // namespace caf_app::eval
