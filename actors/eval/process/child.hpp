// Child processes: started in their own group with nothing inherited but what is named, watched
// through a pidfd, killed as a group. Blocking; whoever calls from an actor is detached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace caf_app::eval {

/// A descriptor that closes itself.
class owned_fd {
public:
  owned_fd() noexcept = default;
  explicit owned_fd(int fd) noexcept : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}
  owned_fd& operator=(owned_fd&& other) noexcept;
  ~owned_fd() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives it up without closing; -1 if there is none.
  int release() noexcept;
  /// Closes it, if there is one.
  void reset() noexcept;

private:
  int fd_ = -1;
};

struct child_options {
  std::vector<std::string> arguments; ///< the program first, absolute
  std::string folder;                 ///< working directory; empty: that of the parent
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C"};
  int output = -1; ///< stdout and stderr go there; -1: nowhere
  int passed = -1; ///< becomes descriptor 3; -1: none
};

/// How a process ended.
struct child_exit {
  int status = 0; ///< of exit
  int signal = 0; ///< that killed it, or 0

  bool ok() const noexcept { return status == 0 && signal == 0; }
};

/// A running child; its group is killed when this goes.
class child {
public:
  child(child&&) noexcept = default;
  child& operator=(child&&) = delete;
  ~child();

  int pid() const noexcept { return pid_; }
  /// Readable once the process has ended.
  int pidfd() const noexcept { return pidfd_.get(); }

  /// Takes the exit of a process that has ended, nothing if it runs. What it left in its group is
  /// killed then.
  std::optional<child_exit> poll_exit();

  /// Kills the group and waits for the process.
  child_exit kill();

private:
  friend std::variant<child, std::string> start_child(const child_options& options);
  child(int pid, owned_fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  int pid_ = -1; // -1: has been waited for
  owned_fd pidfd_;
};

/// Starts a process.
/// @returns the child, or the system call that failed and why
std::variant<child, std::string> start_child(const child_options& options);

/// A pair of connected local stream sockets, closed on exec.
std::optional<std::pair<owned_fd, owned_fd>> make_socket_pair();

} // namespace caf_app::eval
