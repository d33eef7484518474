// One child process: started in a group of its own, with two pipes as stdout and stderr,
// /dev/null or a third pipe as stdin, and no other descriptor. It dies with the thread that started
// it (parent-death signal), and with this object.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <caf/expected.hpp>

#include "caf_app/process/process_spec.hpp"

namespace caf_app {

/// What a process has as stdin.
enum class child_input {
  none, ///< /dev/null
  pipe,
};

/// A process that was started.
class child_process {
public:
  /// Starts `arguments`, the program first. The calling thread has to live as long as the process
  /// shall.
  /// @returns errc::start_failed: the program cannot be run, or a system call failed
  static caf::expected<std::shared_ptr<child_process>>
  start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
        child_input input = child_input::none);

  /// Kills the group, if it has not been waited for.
  ~child_process();

  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  /// Valid until reap(); may be another process's later.
  int pid() const noexcept { return pid_; }

  /// Readable once the process has ended. The descriptors stay open as long as this object.
  int pidfd() const noexcept { return pidfd_; }

  /// The reading ends of its stdout and stderr, non-blocking.
  int output() const noexcept { return output_; }
  int errors() const noexcept { return errors_; }

  /// Writes a line to its stdin, whole or not at all.
  /// @returns false if it has no pipe there, has closed it, or does not read
  bool tell(std::string line) const noexcept;

  /// Sends the process a signal, unless it has ended.
  void signal(int number) const noexcept;

  /// Kills the process and all that it left in its group.
  void kill() const noexcept;

  /// Takes the end of a process that has ended, and kills what it left in its group.
  /// @returns nothing while it runs, or if it was taken already
  std::optional<process_exit> reap();

private:
  child_process(int pid, int pidfd, int output, int errors, int input) noexcept
      : pid_(pid), pidfd_(pidfd), output_(output), errors_(errors), input_(input) {}

  int pid_;
  int pidfd_;
  int output_;
  int errors_;
  int input_; // -1: none
  bool reaped_ = false;
};

} // namespace caf_app
