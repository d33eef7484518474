// A supervisor without its mailbox: executes the restart_plan on real actors, keeps their deadlines
// and their places in the tree. basic_supervisor gives it messages, watches and a timer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include "caf_app/base/limits.hpp"
#include "caf_app/messages/registry.hpp"
#include "caf_app/supervision/child_spec.hpp"
#include "caf_app/supervision/restart_plan.hpp"
#include "caf_app/supervision/supervision_event.hpp"
#include "caf_app/supervision/supervision_tree.hpp"

namespace caf_app {

/// What a supervisor is made with.
struct supervisor_options {
  std::string path; ///< in the tree; one segment, unless the supervisor is a child itself
  restart_options restart;
  std::vector<child_spec> children; ///< started in this order
  std::chrono::milliseconds adopted_shutdown_timeout = limits::supervision::child_shutdown_timeout;
  std::chrono::milliseconds kill_grace = limits::supervision::kill_grace;
  std::shared_ptr<supervision_tree> tree; ///< null: one of its own
  supervision_log log;                    ///< may be empty
};

/// What the core needs of its actor.
class supervisor_host {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The supervisor itself: parent of the children, sender of what they get.
  virtual caf::local_actor& host_actor() = 0;
  /// Of the clock that set_timer() uses.
  virtual time_point host_now() = 0;

  /// Calls core.on_timer() at `due`; replaces the time that was set before.
  virtual void set_timer(time_point due) = 0;

  /// Calls `f` once when the child ends. @returns a reference for unwatch_child()
  virtual uint64_t watch_child(const caf::actor& child, std::function<void(const down&)> f) = 0;
  /// Takes a watch back: `f` is not called after this.
  virtual void unwatch_child(uint64_t ref) = 0;

  /// All children are gone.
  virtual void end_host(caf::error reason) = 0;

protected:
  ~supervisor_host() = default;
};

/// Part of one actor; used in its context only.
class supervisor_core {
public:
  using time_point = supervisor_host::time_point;

  /// Gets an error, or none, once.
  using callback = std::function<void(caf::error)>;

  /// @param host outlives this
  supervisor_core(supervisor_host& host, supervisor_options options);

  /// Starts the children.
  void start();

  /// Adds a child and starts it, as the last one.
  /// @returns invalid_argument, conflict (the id is in use), or draining
  caf::expected<void> add(child_spec spec);

  /// Takes a running actor over as a child that is never restarted, and stops before all others,
  /// together with the other adopted ones. If its id is in use, its actor id is appended.
  void adopt(std::string id, caf::actor child);

  /// Stops and forgets a child, adopted or not; `done` gets not_found if there is none.
  void remove(const std::string& id, callback done);

  /// Stops all children in order, then ends the host with `reason`.
  void shut_down(caf::error reason);

  /// The time of set_timer() has come.
  void on_timer();

  /// The host ends for whatever reason: kills what is left.
  void abandon();

private:
  using child_key = restart_plan::child_key;

  /// A living actor of a child, and how far it is with ending.
  struct incarnation {
    caf::actor handle;
    uint64_t watch = 0;
    time_point deadline = time_point::max(); // of the stop
    bool stopping = false;
    bool killed = false;
  };

  struct child {
    child_spec spec;
    supervision_tree::node_id node = 0;
    std::optional<incarnation> actor;
    std::vector<callback> waits_for_end;
  };

  struct adopted_child {
    std::string id;
    supervision_tree::node_id node = 0;
    incarnation actor;
    std::vector<callback> waits_for_end;
  };

  void run();
  void start_child(child_key key);
  void stop_child(child_key key);
  void finish(caf::error reason);
  bool stop_adopted();
  void on_child_end(child_key key, const caf::error& told, tree_state if_kept);
  void on_adopted_end(uint64_t key, const caf::error& told);
  void after_end(child_key key, const caf::error& reason, tree_state if_kept);

  caf::expected<caf::actor> call_start(const child& x);
  void request_stop(incarnation& x, std::chrono::milliseconds timeout);
  bool check_deadline(incarnation& x, std::string_view id, supervision_tree::node_id node);
  void arm();
  void report(supervision_event_kind kind, std::string_view id, uint64_t actor_id = 0,
              caf::error reason = {}, std::chrono::nanoseconds delay = {});

  supervisor_host& host_;
  supervisor_options options_;
  restart_plan plan_;
  supervision_tree::node_id node_ = 0; // of this supervisor
  bool owns_node_ = false;             // nobody above put it into the tree
  bool running_ = false;               // inside of run()
  bool finished_ = false;
  std::map<child_key, child> children_;
  std::unordered_map<std::string, child_key> by_id_;
  std::map<uint64_t, adopted_child> adopted_; // in the order of adoption
  uint64_t last_adopted_ = 0;
};

} // namespace caf_app
