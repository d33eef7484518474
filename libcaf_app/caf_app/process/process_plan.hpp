// What to do with a child process, and when: it has so long to say that it is ready, and so long to
// end after SIGTERM before SIGKILL follows. Pure.
//
//   starting --"ready <name> ..."--> ready
//      |  \______________________      |
//      | start timeout           \     | stop()
//      v                          v    v
//   killed <--stop timeout------ stopping          any --ended()--> ended
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <caf/error.hpp>

#include "caf_app/process/process_spec.hpp"

namespace caf_app {

/// One run of a process. `now` never runs backwards.
class process_plan {
public:
  using time_point = steady::time_point;

  /// How far the process is; see the diagram.
  enum class state { starting, ready, stopping, killed, ended };

  /// What the shell has to do.
  enum class step { none, terminate, kill };

  /// @param spec of a process that was started at `now`
  process_plan(const process_spec& spec, time_point now);

  /// A line of its stdout. @returns whether it has become ready by that
  bool on_line(std::string_view line);

  /// It shall end. Repeating it changes nothing.
  step stop(time_point now);

  /// @returns when to call on_time()
  std::optional<time_point> due() const noexcept { return due_; }
  /// due() has come. @returns what to do now
  step on_time(time_point now);

  /// It has ended.
  /// @returns why, for its supervisor: none if it ended cleanly or was told to; start_failed if it
  /// never got ready in time; else target_failed
  caf::error ended(const process_exit& how);

  state now() const noexcept { return state_; }
  /// Whether stop() was called: the end that comes is wanted.
  bool told_to_end() const noexcept { return told_to_end_; }

  /// What followed the name in the ready line.
  const std::vector<std::string>& addresses() const noexcept { return addresses_; }

private:
  std::string name_;
  process_timing timing_;
  state state_;
  bool told_to_end_ = false;
  std::optional<time_point> due_;
  std::vector<std::string> addresses_;
};

} // namespace caf_app
