// Runs processes, a few at a time, until all have ended, a deadline passes or somebody cancels.
// Blocking: belongs on a thread of its own, which outlives the processes (they die with it).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/eval/process/child.hpp"

namespace caf_app::eval {

/// A descriptor that becomes readable after a while.
owned_fd make_timer(int timeout_ms);

struct job {
  std::vector<std::string> command;     ///< the program first, absolute
  std::string folder;                   ///< working directory
  std::string output_path;              ///< stdout and stderr are appended there; empty: `output`
  std::vector<std::string> environment; ///< empty: that of child_options
  int output = -1;                      ///< as child_options::output
};

/// `done`: all have ended, well or not.
enum class pool_end : uint8_t { done, cancelled, timed_out };

/// How many at a time, and what ends them early.
struct pool_options {
  size_t at_once = 1; ///< above zero
  int timer_fd = -1;  ///< readable: time is up; -1: no limit
  int cancel_fd = -1; ///< readable: cancelled; -1: never
};

/// Runs all jobs in order. Those that run when it ends early are killed.
/// @param on_end gets index, exit, and why a job could not be started (else empty); in the order in
///   which they end
pool_end run_jobs(const std::vector<job>& jobs, const pool_options& options,
                  const std::function<void(size_t, child_exit, const std::string&)>& on_end);

} // namespace caf_app::eval
