// Looks after one child process on a loop: starts it, or takes over the one that its predecessor
// left; passes its lines on; ends when the process has ended, with the reason for its supervisor.
//
//   exit message (any reason but kill): the process is told to end, then killed; the actor ends
//   last.  kill: the actor ends, the process goes on.
#pragma once

#include "caf_app/loop/watched_fd.hpp"
#include "caf_app/process/process_place.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app {

/// One process_place; ends with start_failed or target_failed if the process does not end well.
class process_actor final : public loop_app_actor {
public:
  /// @param loop its thread starts the process, which dies with it
  /// @param lines,events may be empty
  process_actor(caf::actor_config& cfg, event_loop* loop, process_place_ptr place,
                process_lines lines, process_events events);

  const char* name() const override { return "process"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  caf::error start();
  void watch_process();
  void on_exit_message(const caf::exit_msg& x);
  void on_output();
  void on_errors();
  void on_process_end();
  bool goes_again(const caf::error& reason) const;
  void do_step(process_plan::step step);
  void arm();
  void let_go();
  void report(process_event_kind kind, std::string text = {}) const;

  process_place_ptr place_;
  process_lines lines_;
  process_events events_;
  watched_fd* end_ = nullptr;
  watched_fd* output_ = nullptr;
  watched_fd* errors_ = nullptr;
  wheel_timer timer_;
};

} // namespace caf_app
