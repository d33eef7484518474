// Where a process lives. It outlives the actors that look after it: when one of them is killed, the
// process goes on, and the next one takes it over from here.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "caf_app/process/child_process.hpp"
#include "caf_app/process/line_splitter.hpp"
#include "caf_app/process/process_plan.hpp"

namespace caf_app {

/// Gets each line that a process prints, with the name of the process. Must not throw.
using process_lines = std::function<void(std::string_view name, std::string_view line)>;

/// Gets what happens to a process; runs on the loop or on a supervisor's thread. Must not throw.
using process_events = std::function<void(const process_event&)>;

/// Shared by the launcher, the actor that looks after the process, and who lists processes.
struct process_place {
  explicit process_place(process_spec what) : spec(std::move(what)) { shown_.name = spec.name; }

  const process_spec spec;

  // -- of the actor, on its loop ---------------------------------------------------

  std::shared_ptr<child_process> running; ///< null while it does not run
  std::optional<process_plan> plan;       ///< of `running`
  line_splitter output;
  line_splitter errors;

  // -- of the launcher, under its lock -----------------------------------------------

  bool stop_asked = false;

  // -- any thread --------------------------------------------------------------------

  /// A copy of what is shown.
  process_info info() const {
    const std::lock_guard guard{mutex_};
    return shown_;
  }

  /// Changes what is shown. @param change takes process_info&; must not throw
  template <class F>
  void show(F change) {
    const std::lock_guard guard{mutex_};
    change(shown_);
  }

private:
  mutable std::mutex mutex_;
  process_info shown_;
};

using process_place_ptr = std::shared_ptr<process_place>;

} // namespace caf_app
