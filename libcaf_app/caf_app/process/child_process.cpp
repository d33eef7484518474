#include "caf_app/process/child_process.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

constexpr int first_free_fd = 10; // below it are those that the child gets
constexpr int last_wait_ms = 1000;
constexpr int status_not_run = 127; // as shells have it

/// A descriptor on its way to an owner.
class held_fd {
public:
  explicit held_fd(int fd = -1) noexcept : fd_(fd) {}
  held_fd(held_fd&& other) noexcept : fd_(other.release()) {}
  held_fd& operator=(held_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~held_fd() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

private:
  int fd_;
};

caf::error failed(const char* call) {
  return caf::make_error(errc::start_failed, std::string{call} + ": " + std::strerror(errno));
}

/// Moves a descriptor out of the way of 0, 1 and 2.
held_fd raised(int fd) {
  const held_fd old{fd};
  return held_fd{fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, first_free_fd)};
}

struct pipe_ends {
  held_fd reading;
  held_fd writing;
};

caf::expected<pipe_ends> make_pipe() {
  std::array<int, 2> fds{-1, -1};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    return failed("pipe2");
  pipe_ends result{raised(fds[0]), raised(fds[1])};
  if (result.reading.get() < 0 || result.writing.get() < 0)
    return failed("fcntl");
  return result;
}

/// Our end of a pipe must never block a loop.
bool set_nonblocking(const held_fd& fd) { return ::fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0; }

/// The descriptors of a child, and our ends of its pipes.
struct child_streams {
  held_fd input;
  held_fd commands; // -1 without a pipe
  pipe_ends output;
  pipe_ends errors;
};

caf::expected<child_streams> make_streams(child_input kind) {
  child_streams result;
  if (kind == child_input::pipe) {
    auto input = make_pipe();
    if (!input)
      return std::move(input.error());
    result.input = std::move(input->reading);
    result.commands = std::move(input->writing);
    if (!set_nonblocking(result.commands))
      return failed("fcntl");
  } else {
    result.input = raised(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (result.input.get() < 0)
      return failed("open /dev/null");
  }
  for (auto* stream : {&result.output, &result.errors}) {
    auto made = make_pipe();
    if (!made)
      return std::move(made.error());
    *stream = std::move(*made);
    if (!set_nonblocking(stream->reading))
      return failed("fcntl");
  }
  return result;
}

/// All that the child needs between fork and exec, where nothing may be allocated.
struct prepared {
  std::vector<char*> arguments;
  const char* folder = nullptr;
  int input = -1;
  int output = -1;
  int errors = -1;
  pid_t parent = 0;
};

// Runs in the child: async-signal-safe calls only, since other threads of the parent may have held
// any lock when it was forked.
[[noreturn]] void become(const prepared& what) {
  for (int number = 1; number < NSIG; ++number)
    ::signal(number, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != what.parent) // it died before the line above
    ::_exit(status_not_run);
  ::setpgid(0, 0);
  ::dup2(what.input, 0);
  ::dup2(what.output, 1);
  ::dup2(what.errors, 2);
  ::close_range(3, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!what.folder || ::chdir(what.folder) == 0)
    ::execv(what.arguments[0], what.arguments.data());
  static constexpr std::string_view complaint = "the program or its folder cannot be used\n";
  [[maybe_unused]] const auto n = ::write(2, complaint.data(), complaint.size());
  ::_exit(status_not_run);
}

} // namespace

caf::expected<std::shared_ptr<child_process>>
child_process::start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     child_input input) {
  if (arguments.empty() || ::access(arguments.front().c_str(), X_OK) != 0)
    return caf::make_error(errc::start_failed,
                           "cannot run \"" + (arguments.empty() ? "" : arguments.front()) +
                               "\": " + (arguments.empty() ? "no program" : std::strerror(errno)));
  auto streams = make_streams(input);
  if (!streams)
    return std::move(streams.error());
  prepared what;
  for (const auto& argument : arguments)
    what.arguments.push_back(const_cast<char*>(argument.c_str()));
  what.arguments.push_back(nullptr);
  what.folder = folder.empty() ? nullptr : folder.c_str();
  what.input = streams->input.get();
  what.output = streams->output.writing.get();
  what.errors = streams->errors.writing.get();
  what.parent = ::getpid();
  const auto pid = ::fork();
  if (pid < 0)
    return failed("fork");
  if (pid == 0)
    become(what);
  ::setpgid(pid, pid); // both do it: whoever comes first, the group exists from here on
  held_fd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (pidfd.get() < 0) {
    auto why = failed("pidfd_open");
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return why;
  }
  return std::shared_ptr<child_process>{
      new child_process(pid, pidfd.release(), streams->output.reading.release(),
                        streams->errors.reading.release(), streams->commands.release())};
}

child_process::~child_process() {
  if (!reaped_) {
    kill();
    pollfd end{pidfd_, POLLIN, 0};
    ::poll(&end, 1, last_wait_ms);
    reap();
  }
  for (const auto fd : {pidfd_, output_, errors_, input_})
    if (fd >= 0)
      ::close(fd);
}

// Up to PIPE_BUF bytes a write is whole or fails.
bool child_process::tell(std::string line) const noexcept {
  line += '\n';
  return input_ >= 0 && !reaped_ && line.size() <= PIPE_BUF &&
         ::write(input_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

void child_process::signal(int number) const noexcept {
  if (!reaped_)
    ::syscall(SYS_pidfd_send_signal, pidfd_, number, nullptr, 0);
}

void child_process::kill() const noexcept {
  if (!reaped_)
    ::kill(-pid_, SIGKILL);
}

std::optional<process_exit> child_process::reap() {
  siginfo_t info{};
  if (reaped_ ||
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return std::nullopt;
  kill(); // while its number is still taken: what it left in its group shall end too
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  if (WIFSIGNALED(status))
    return process_exit{0, WTERMSIG(status)};
  return process_exit{WEXITSTATUS(status), 0};
}

} // namespace caf_app
