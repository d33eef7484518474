// The processes of a node or of `caf-ctl up`: a table that lives as long as the program, and the
// supervisors above the actors that look after the processes.
//
//   <id> -> <name of the process> -> process (process_actor)
//
// A process that fails is started again, with growing pauses. When that happens too often its own
// supervisor gives up, which is told and stays without further effect. Killing the launcher leaves
// the processes alone; the next incarnation takes them over.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <caf/actor.hpp>
#include <caf/error.hpp>

#include "caf_app/process/process_place.hpp"
#include "caf_app/supervision/supervisor.hpp"

namespace caf_app {

class event_loop;

/// What a launcher is made with; `loop` must not be null once the launcher runs.
struct launcher_options {
  std::string id = "launcher"; ///< of its supervisor
  event_loop* loop = nullptr;  ///< its thread starts the processes; they die with it
  process_lines lines;         ///< may be empty: what they print is dropped
  process_events events;       ///< may be empty
};

/// Thread safe.
class launcher : public std::enable_shared_from_this<launcher> {
public:
  /// Without processes; they start when the actor of spec() runs.
  static std::shared_ptr<launcher> make(launcher_options options);

  /// The supervisor above all processes.
  child_spec spec();

  /// Starts a process as soon as the launcher runs.
  /// @returns conflict if its name is in use, invalid_argument if it can be none
  caf::error launch(process_spec what);

  /// Tells a process to end, and kills it if it does not. It will not be started again.
  /// @returns not_found if there is none that could end
  caf::error stop(const std::string& name);

  /// Writes a line to the stdin of a process that takes commands, if it runs and reads them.
  void tell(const std::string& name, std::string line);

  /// Kills a process without asking; it is started again as after any other end.
  void kill(const std::string& name);

  /// stop() for all of them, at once.
  void stop_all();

  /// @returns whether no process is left that runs or waits to be started
  bool idle() const;

  /// Sorted by name; those that have ended stay until their name is used again.
  std::vector<process_info> list() const;

private:
  struct entry {
    process_place_ptr place;
    bool kept = false; // a supervisor of this name exists, as far as is known
  };

  explicit launcher(launcher_options options) : options_(std::move(options)) {}

  caf::expected<caf::actor> start_keepers(const start_context& start);
  child_spec keeper_of(const process_place_ptr& place);
  void on_keeper_event(std::string_view name, supervision_event_kind kind);
  /// @returns whether that says it all
  bool on_process_event(const process_place_ptr& place, const supervision_event& event) const;
  void keep_locked(entry& which);
  void stop_locked(const entry& which) const;
  process_place_ptr find(const std::string& name) const;

  launcher_options options_;
  mutable std::mutex mutex_;
  std::map<std::string, entry, std::less<>> entries_;
  caf::actor keeper_; // the present incarnation; null before the first one
};

using launcher_ptr = std::shared_ptr<launcher>;

} // namespace caf_app
