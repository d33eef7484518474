// What a child process is, as data, and what a launcher tells about it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "caf_app/base/limits.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/supervision/child_spec.hpp"
#include "caf_app/supervision/restart_plan.hpp"

namespace caf_app {

/// How a process ended.
struct process_exit {
  int status = 0; ///< of exit
  int signal = 0; ///< that ended it, 0 if it exited

  /// Whether it exited with status 0.
  bool clean() const noexcept { return status == 0 && signal == 0; }
};

/// "exit status 3" or "signal 9 (SIGKILL)".
std::string to_string(const process_exit& how);

/// Patience with a process.
struct process_timing {
  std::chrono::milliseconds start = limits::process::start_timeout; ///< until it is ready
  std::chrono::milliseconds stop = limits::process::stop_timeout;   ///< from SIGTERM to SIGKILL
};

/// How often a process that fails is started again before it is given up.
inline restart_options process_restarts() {
  restart_options result;
  result.intensity = limits::process::intensity;
  result.period = limits::process::period;
  result.stable_after = limits::process::period;
  result.shutdown_with = auto_shutdown::all_significant; // its supervisor ends with it
  return result;
}

/// What a launcher starts.
struct process_spec {
  std::string name;                   ///< unique in its launcher, without '/'
  std::vector<std::string> arguments; ///< the program first, as a path
  std::filesystem::path folder;       ///< working directory; empty: that of the launcher

  /// It prints `ready <name> ...` on stdout once it serves. Without, it is ready when it runs.
  bool says_ready = true;

  /// Its stdin is a pipe on which launcher::tell() writes; else it is /dev/null.
  bool takes_commands = false;

  process_timing timing;

  /// Exit status 0 is a normal end; a signal and any other status are not.
  restart_type restart = restart_type::transient;
  restart_options restarts = process_restarts();
};

/// How a process is, as lists show it.
enum class process_state {
  waiting,  ///< to be started, for the first time or again
  starting, ///< runs, and has not said that it is ready
  ready,
  stopping, ///< was told to end
  ended,    ///< normally, or because it was told to
  failed,   ///< given up: more restarts than its intensity allows
};

/// The name of the enumerator.
std::string to_string(process_state);

/// What is known of a process; a copy.
struct process_info {
  std::string name;
  process_state state = process_state::waiting;
  int pid = 0;                        ///< 0 while it does not run
  std::vector<std::string> addresses; ///< of the ready line
  size_t starts = 0;
  std::string last_end; ///< empty before the first one
};

/// What has happened to a process.
enum class process_event_kind {
  started,
  ready,
  ended,      ///< `text` says how
  restarting, ///< after `ended`, or when it could not be started: it will be after `delay`
  gave_up,    ///< the same: it will not be started again
};

/// One event; `text` is empty but for the last three, where it says how the process ended.
struct process_event {
  process_event_kind kind = process_event_kind::started;
  std::string name;
  int pid = 0;
  std::string text;
  std::chrono::milliseconds delay{};
};

} // namespace caf_app
