// The composition root of a process: actor system, event loops, registry, supervision tree, and the
// order in which all of that ends. A program makes an app, adds what it is made of as child specs
// and shutdown phases, and calls run().
//
//   start() -> serving --SIGTERM, SIGINT, stop()--> phases, one after the other, each with a
//   timeout
//                                                   -> root supervisor stops -> run() returns 0
//              root gives up --> the same, run() returns 1
//   a second signal ends the process at once; the hard deadline too, after printing who is left
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/error.hpp>

#include "caf_app/base/cluster_config.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/loop/event_loop.hpp"
#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/child_spec.hpp"
#include "caf_app/supervision/supervision_tree.hpp"

namespace caf_app {

/// What a process is made of. `log` and `books` must not be null.
struct app_options {
  size_t loops = 1;       ///< event loop threads
  bool busy_poll = true;  ///< loops look for what they expect soon before they sleep
  bool pin_loops = false; ///< loop i on the i-th core that the process may use
  std::function<void(caf::actor_system_config&)> configure{}; ///< loads modules; may be empty
  shutdown_section shutdown;
  logger_ptr log;
  metrics_ptr books;
};

/// A step of an ordered shutdown. Both functions run on the thread of run() and must not block.
struct shutdown_phase {
  std::string name;
  std::chrono::milliseconds timeout;
  std::function<void()> begin;
  std::function<bool()> done; ///< asked again and again until it is true or the time is over
};

/// Blocks the signals that run() waits for, and ignores SIGPIPE and SIGXFSZ. Call it first in main:
/// threads inherit it.
void block_signals();

/// One per process. Made, filled with children and phases, started and run by one thread, that of
/// main.
class app {
public:
  /// Makes the actor system and the loops; nothing is supervised before start().
  explicit app(app_options options);

  /// Everything has to be stopped: after run(), or before start().
  ~app();

  app(const app&) = delete;
  app& operator=(const app&) = delete;

  /// Valid as long as the app, any thread.
  caf::actor_system& system() noexcept { return *system_; }
  const std::shared_ptr<registry>& names() const noexcept { return names_; }
  const std::shared_ptr<supervision_tree>& tree() const noexcept { return tree_; }
  const metrics_ptr& books() const noexcept { return options_.books; }
  const logger_ptr& log() const noexcept { return options_.log; }
  /// At least one; they live as long as the app.
  std::vector<event_loop*> loops() const;

  /// Starts the root supervisor; its children start in this order and stop in reverse.
  void start(std::vector<child_spec> children);

  /// Phases run in the order in which they were added.
  void add_phase(shutdown_phase phase) { phases_.push_back(std::move(phase)); }

  /// Called on SIGHUP, on the thread of run().
  void on_reload(std::function<void()> f) { reload_ = std::move(f); }

  /// Begins the shutdown. Any thread.
  void stop() noexcept { stop_ = true; }

  /// @returns whether the shutdown has begun. Any thread.
  bool stopping() const noexcept { return stop_; }

  /// Serves until it is told to stop, then shuts down in order.
  /// @returns the exit code of the process
  int run();

private:
  struct configuration;
  class watchdog;

  void wait_for_end();
  void run_phases();
  void run_phase(const shutdown_phase& phase);
  bool root_ended() const;
  void end_root();

  app_options options_;
  std::unique_ptr<configuration> config_;
  std::unique_ptr<caf::actor_system> system_;
  std::shared_ptr<registry> names_;
  std::shared_ptr<supervision_tree> tree_;
  std::vector<std::unique_ptr<event_loop>> loops_;
  caf::actor root_;
  std::vector<shutdown_phase> phases_;
  std::function<void()> reload_;
  std::atomic<bool> stop_{false};
};

} // namespace caf_app
