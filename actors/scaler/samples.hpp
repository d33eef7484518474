// What the classifier looks at. A value that is not known is an empty optional, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caf_app/base/time.hpp"

namespace caf_app::scaler {

/// `draining`: was told to go; it may still be taken back for a while.
enum class instance_state : uint8_t { starting, ready, draining };

/// Sums over the window, in microseconds of request time: what open requests waited for.
struct time_split {
  double local = 0; ///< for the instance itself, or for the client to read
  double upstream = 0;
  double actor = 0;
  double eval = 0;
  double queue = 0; ///< nobody measures it yet

  double total() const { return local + upstream + actor + eval + queue; }
  double waiting() const { return upstream + actor + eval; }
};

/// One upstream, as an instance sees it in a window.
struct upstream_load {
  std::string name;
  uint64_t queue_peak = 0; ///< requests that waited for room at once
  uint64_t again = 0;      ///< connects that met a full backlog
};

/// One instance over one window.
struct web_sample {
  std::string instance;
  std::string incarnation; ///< process id
  uint64_t seq = 0;        ///< from 1 on for each process
  steady::time_point at;   ///< CLOCK_MONOTONIC, one clock per host
  steady::duration window{};
  instance_state state = instance_state::ready;
  std::vector<std::optional<double>> loop_busy;      ///< 0..1 per loop
  std::vector<std::optional<double>> loop_run_delay; ///< 0..1 per loop: runnable without a core
  std::optional<double> lag_us;                      ///< worst of any loop
  std::optional<uint64_t> accept_queue_peak;         ///< connections that waited to be accepted
  std::optional<uint64_t> accepted;                  ///< in the window; nobody measures it yet
  std::optional<uint64_t> connections;               ///< open at its end
  std::optional<uint64_t> idle_connections;          ///< of these
  std::optional<uint64_t> requests;                  ///< finished and refused in the window
  std::optional<uint64_t> in_flight;                 ///< open at its end
  std::optional<time_split> time;
  std::vector<upstream_load> upstreams;
  std::optional<uint64_t> fpm_idle; ///< workers of PHP-FPM that wait for a request
  std::optional<double> cpu_us;     ///< of the process, in the window
  std::optional<uint64_t> rss_bytes;
};

/// The machine over the same window.
struct host_sample {
  steady::time_point at;
  double cores = 1;                         ///< that we may use
  std::optional<double> idle_cores;         ///< of all, not only of ours
  std::optional<double> throttled;          ///< 0..1 of the window
  std::optional<uint64_t> memory_available; ///< bytes
};

/// The evaluator of a node over one window.
struct eval_sample {
  steady::time_point at;
  uint64_t seq = 0;
  uint64_t workers = 0;          ///< that it may have
  uint64_t queue_max = 0;        ///< calls that may wait
  uint64_t compiling = 0;        ///< builds; they are no load
  std::optional<double> busy;    ///< workers that ran a call, the mean over the window
  std::optional<uint64_t> queue; ///< calls that wait now
  std::optional<double> queue_wait_p50_us;
  std::optional<double> queue_wait_p99_us;
  std::optional<double> service_p50_us;
  std::optional<uint64_t> calls;    ///< finished in the window
  std::optional<uint64_t> rejected; ///< refused in the window
  std::optional<double> rate;       ///< calls/s that the workers get done
  std::optional<double> run_delay;  ///< 0..1: busy workers that had no core
  std::optional<double> cpu_cores;  ///< that the workers used
};

/// What the web tier has to know about the evaluators of the cluster.
struct eval_load {
  uint64_t queue = 0;  ///< calls that wait
  bool at_max = false; ///< where calls wait there can be no more workers
};

} // namespace caf_app::scaler
