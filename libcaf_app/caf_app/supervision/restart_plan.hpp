// The decisions of a supervisor, without actors and clocks: which child to start or stop next, and
// when to give up. The shell reports what happened and then executes next() until that is empty.
// Rules: Erlang/OTP's supervisor; the backoff between restarts is ours.
//
//   a child:  waiting -> starting -> running -> stopping -> (waiting | ended | forgotten)
//               ^           |           |
//               +-----------+-----------+   it failed and is restarted, maybe after a delay
//   the plan: steady <-> restarting (one_for_all, rest_for_one: children stop in reverse order,
//   then
//             start in order) -> closing (all stop in reverse order) -> finished
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <caf/error.hpp>

#include "caf_app/base/limits.hpp"
#include "caf_app/supervision/backoff.hpp"
#include "caf_app/supervision/child_spec.hpp"
#include "caf_app/supervision/restart_window.hpp"

namespace caf_app {

/// How a supervisor restarts its children. `period` is above zero.
struct restart_options {
  restart_strategy strategy = restart_strategy::one_for_one;
  size_t intensity = limits::supervision::intensity; ///< restarts allowed within `period`
  std::chrono::milliseconds period = limits::supervision::period;
  backoff_options backoff;
  std::chrono::milliseconds stable_after =
      limits::supervision::period; ///< ends a streak of restarts
  auto_shutdown shutdown_with = auto_shutdown::never;
};

/// @returns whether an exit reason makes a supervisor restart a transient child
bool is_abnormal(const caf::error& reason);

/// One supervisor. `now` never runs backwards.
class restart_plan {
public:
  using clock = std::chrono::steady_clock;
  using time_point = clock::time_point;

  /// Names a child; children that were added later have larger keys.
  using child_key = uint64_t;

  /// How far a child is; see the diagram.
  enum class child_state : uint8_t { waiting, starting, running, stopping, ended };

  /// What the shell has to do.
  enum class action_kind : uint8_t {
    start,  ///< start the child, then call started() or start_failed() before next()
    stop,   ///< stop the child, and call ended() when it is gone
    finish, ///< the last action: end with `reason`
  };

  /// One thing to do; `child` is meaningless for finish, `reason` for the others.
  struct action {
    action_kind kind;
    child_key child = 0;
    caf::error reason;
  };

  /// A plan without children; it ends by shut_down() or by giving up.
  explicit restart_plan(restart_options options);

  /// Adds a child, to be started at once, after those that were added before.
  /// @pre !closing()
  child_key add(restart_type restart, bool significant, time_point now);

  // -- what happened; unknown keys are ignored ------------------------------------

  /// The start that next() asked for has succeeded, or failed with `reason`; a child has ended with
  /// `reason`, told to or not.
  void started(child_key key, time_point now);
  void start_failed(child_key key, const caf::error& reason, time_point now);
  void ended(child_key key, const caf::error& reason, time_point now);

  // -- what is wanted -------------------------------------------------------------

  /// Stops and forgets a child; whatever its strategy says, nobody else is restarted.
  void remove(child_key key);

  /// Stops all children, then finishes with `reason`. The first reason counts.
  void shut_down(caf::error reason);

  // -- what to do -----------------------------------------------------------------

  /// @returns the next action, nothing until something happens or wakeup() has come
  std::optional<action> next(time_point now);

  /// @returns when next() has to be called even if nothing happens
  std::optional<time_point> wakeup() const;

  // -- observers ------------------------------------------------------------------

  /// Whether all children stop, after which the supervisor ends.
  bool closing() const { return closing_; }

  /// @returns false once the child is forgotten: removed, or temporary and ended
  bool contains(child_key key) const { return children_.count(key) != 0; }

  /// @pre contains(key)
  child_state state_of(child_key key) const { return children_.at(key).state; }

  /// @returns how often the child was started again. @pre contains(key)
  size_t restarts_of(child_key key) const { return children_.at(key).restarts; }

  /// @returns when a waiting child is to be started. @pre contains(key)
  time_point due_of(child_key key) const { return children_.at(key).due; }

private:
  struct child {
    restart_type restart = restart_type::permanent;
    bool significant = false;
    child_state state = child_state::waiting;
    bool goes_again = false; // stops only to be started again with its group
    bool removed = false;
    bool was_started = false;
    time_point due;        // while waiting
    time_point started_at; // while running
    size_t streak = 0;     // restarts since it was last stable
    size_t restarts = 0;
  };

  using iterator = std::map<child_key, child>::iterator;

  void fail(iterator at, const caf::error& reason, time_point now);
  void restart_group(iterator failed, time_point due);
  void own_end(iterator at, const caf::error& reason, time_point now);
  void forget(iterator at);
  void check_significant(bool was_significant);

  std::optional<action> stop_last(bool all);
  std::optional<action> stop_removed();
  std::optional<action> start_first(time_point now);

  restart_options options_;
  restart_window window_;
  backoff backoff_;
  std::map<child_key, child> children_; // in the order of their starts
  child_key last_key_ = 0;
  size_t going_again_ = 0; // children with goes_again
  size_t to_remove_ = 0;   // removed children that still have to be told to stop
  time_point group_due_;   // of those that go again
  bool closing_ = false;
  bool finished_ = false;
  caf::error finish_reason_;
};

} // namespace caf_app
