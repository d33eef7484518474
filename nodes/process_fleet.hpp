// The instances of a node as child processes: starts them with the launcher, talks to them in lines
// (their stdin and stdout), and tells the scaler what happens to them.
//
//   parent -> instance   retire | stay | nudge <count> | attract <milliseconds> | reload
//                        ring <keys of session tickets, hex> | share <count of processes>
//                        metrics <question> | purge <JSON>
//   instance -> parent   ready <name> ... | sample <JSON> | steer_failed | stays | leaves
//                        metric <question> ...
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/http/http_supervisor.hpp"
#include "actors/scaler/host_probe.hpp"
#include "actors/scaler/instance_fleet.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/process/launcher.hpp"
#include "nodes/instance_metrics.hpp"

namespace caf_app {

struct process_fleet_options {
  std::string node;                        ///< its name; instances are `<node>.<number>`, from 2
  std::vector<std::string> command;        ///< of an instance, without its name
  std::shared_ptr<http::http_service> web; ///< of the node itself
  std::shared_ptr<scaler::scaler_board> board;    ///< start_timeout and retire_deadline
  event_loop* loop = nullptr;                     ///< starts the processes
  std::chrono::milliseconds stop_timeout{10'000}; ///< from SIGTERM to SIGKILL
  process_lines lines;                            ///< what instances print beside our lines
  logger_ptr log;
};

/// A crashed instance is repaired by the launcher, one that never got ready is forgotten. The first
/// number free is the next one's.
class process_fleet final : public scaler::instance_fleet,
                            public std::enable_shared_from_this<process_fleet> {
public:
  static std::shared_ptr<process_fleet> make(process_fleet_options options);

  /// The launcher, for the tree and for the end of the node.
  const launcher_ptr& nursery() const noexcept { return launcher_; }

  /// A sample of the node itself.
  void note_sample(const scaler::web_sample& sample);

  /// What moves connections of the node itself; blocks, so it runs elsewhere.
  using task = std::function<void()>;
  void set_runner(std::function<void(task)> run) { run_ = std::move(run); }

  /// Hands a purge of caches to all instances. Any thread.
  void purge(const std::string& json);

  /// The configuration of the node has changed, so has that of its instances.
  void reload();

  /// What the instances count.
  const std::shared_ptr<instance_metrics>& metrics() const noexcept { return metrics_; }

  // -- scaler::instance_fleet --------------------------------------------------------

  void on_news(std::function<void()> wake) override;
  scaler::host_sample host(steady::time_point now) override;
  std::vector<scaler::instance_status> list() override;
  std::vector<scaler::web_sample> samples() override;
  scaler::fleet_events take_events() override;
  void launch() override;
  void retire(const std::string& name) override;
  void revoke(const std::string& name) override;
  void replace(const std::string& name) override;
  void nudge(const std::string& name, size_t count) override;
  void attract(const std::string& name, std::chrono::milliseconds window) override;

private:
  struct instance {
    unsigned number = 2;
    steady::time_point since; // launched, or told to go
    bool was_ready = false;
    bool draining = false;
    bool returning = false; // its retirement is to be taken back
    bool listens = true;    // that is possible
    bool cut = false;       // its time to retire is over
    uint64_t in_flight = 0; // requests, in its last sample
    bool sampled = false;
    std::string ring; // what it was told last
    size_t shares = 0;
  };

  explicit process_fleet(process_fleet_options options);

  void on_line(std::string_view name, std::string_view line);
  bool on_retirement(const std::string& name, std::string_view line);
  void on_event(const process_event& event);
  void on_end(const std::string& name);
  void on_ready(const std::string& name);
  void on_restart(const process_event& event);
  void check_deadlines(steady::time_point now);
  void tell_state();
  std::vector<std::string> tell_all(const std::string& line);

  process_fleet_options options_;
  launcher_ptr launcher_;
  std::shared_ptr<instance_metrics> metrics_;
  std::function<void(task)> run_;
  std::atomic<size_t> shares_{1}; // of the rates of the host; the node's own count
  steady::time_point started_;
  std::mutex mutex_;
  std::function<void()> wake_;
  scaler::host_probe host_;
  std::map<std::string, instance> instances_;
  std::map<std::string, scaler::web_sample> samples_; // the last ones
  scaler::fleet_events events_;
};

} // namespace caf_app
