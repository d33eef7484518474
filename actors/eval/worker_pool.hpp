// Which call runs on which worker: queues, affinity, fairness, limits. Knows neither processes nor
// actors; the dispatcher does what `next` says and reports what became of it.
//
//   call    waiting --run--> with a worker --finished/ended--> gone
//   worker  starting --started--> idle --run--> busy --finished--> idle ... ended
//
// A worker is unbound until its first call and then serves that call's key only. A waiting call
// takes an idle worker of its key, else an unbound one of its build, else a free place, else the
// place of the worker that is idle for longest, else it waits. Among tenants the one with the
// fewest workers is served first; within a tenant calls are served in the order in which they came.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace caf_app::eval {

/// Times never run backwards. One thread.
class worker_pool {
public:
  using time_point = std::chrono::steady_clock::time_point;

  struct options {
    size_t workers = 4;        ///< at most, starting ones included
    size_t queue_max = 1024;   ///< calls that wait although every place is busy
    double tenant_share = 0.5; ///< of queue and workers that a tenant may take when others wait
    std::chrono::milliseconds idle_timeout{300'000}; ///< see retire
  };

  /// What the pool knows of a call.
  struct call {
    uint64_t id = 0; ///< unique
    std::string build;
    std::string key;    ///< affinity within the build
    std::string tenant; ///< whose share it takes
  };

  /// `tenant_full`: the tenant has its share of the queue and others wait. `queue_full`: no
  /// more may wait.
  enum class admission : uint8_t { waits, tenant_full, queue_full };

  /// What is to be done now.
  struct step {
    enum class kind : uint8_t {
      run,   ///< hand `call` to `worker`
      start, ///< start `worker` for `build`
      end    ///< end `worker`: its place is taken by another
    };

    kind what = kind::run;
    uint64_t call = 0;
    uint64_t worker = 0;
    std::string build;
  };

  /// Workers by what they do.
  struct census {
    size_t starting = 0;
    size_t unbound = 0; ///< idle, without a key
    size_t bound = 0;   ///< idle, with one
    size_t busy = 0;
  };

  explicit worker_pool(options opts) : options_(opts) {}

  /// So many workers there may be from now on, at least one. `trim` ends what is beyond.
  void set_workers(size_t count) noexcept { options_.workers = std::max<size_t>(count, 1); }
  size_t workers_max() const noexcept { return options_.workers; }

  /// Takes out idle workers beyond that: unbound ones first, then whoever is idle for longest.
  /// Those at work go when their call is over. @returns them, to be ended
  std::vector<uint64_t> trim();

  census count() const;

  /// Takes a call into the queue.
  /// @param displaced gets a waiting call of a tenant above its share that had to make room; it is
  ///   gone and to be refused with `tenant_full`
  admission submit(call what, std::vector<uint64_t>& displaced);

  /// @returns what to do, in that order; nothing is left to do until something is reported
  std::vector<step> next();

  /// A worker has been started and waits for its first call.
  void started(uint64_t worker, time_point now);

  /// The call of a worker is over, the worker is fine.
  void finished(uint64_t worker, time_point now);

  /// A worker is gone, in whatever state it was. Its call, if any, is gone too.
  void ended(uint64_t worker);

  /// Takes a waiting call out. @returns whether it was waiting
  bool cancel(uint64_t call);

  /// Takes out workers that have been idle for `idle_timeout`. @returns them, to be ended
  std::vector<uint64_t> retire(time_point now);

  /// Takes all waiting calls of a build out. @returns them, to be refused
  std::vector<uint64_t> drop_build(const std::string& build);

  /// Takes out the idle workers of a build. @returns them, to be ended
  std::vector<uint64_t> retire_build(const std::string& build);

  /// How many workers of a build there are, whatever they do.
  size_t workers_of(const std::string& build) const;

  size_t waiting() const noexcept { return waiting_; }
  size_t waiting_of(const std::string& build) const;
  size_t busy() const noexcept { return busy_; }
  size_t workers() const noexcept { return workers_.size(); }

private:
  enum class state : uint8_t { starting, idle, busy };

  struct worker {
    std::string build;
    std::string key; // once bound
    std::string tenant;
    bool bound = false;
    state what = state::starting;
    time_point since; // when it became idle
  };

  struct tenant {
    std::deque<call> queue;
    size_t workers = 0;   // busy for it
    size_t passed = 0;    // of the queue, within next(): a worker is on its way for them
    bool blocked = false; // within next()

    size_t claim() const noexcept { return workers + passed; }
    bool is_empty() const noexcept { return queue.empty() && workers == 0; }
  };

  using tenant_map = std::map<std::string, tenant, std::less<>>;

  size_t queue_share() const;
  size_t worker_share() const;
  bool others_wait(const std::string& than) const;
  tenant_map::iterator pick();
  bool place(tenant_map::iterator from, std::unordered_map<std::string, size_t>& coming,
             std::vector<step>& to);
  void run(const call& what, uint64_t id, std::vector<step>& to);
  uint64_t idle_for(const call& what) const;
  uint64_t oldest_idle() const;
  size_t free_places() const;
  void no_longer_starts(const std::string& build);
  void release(const worker& what);

  options options_;
  tenant_map tenants_;
  std::unordered_map<uint64_t, worker> workers_;
  std::unordered_map<std::string, size_t> starting_; // by build
  uint64_t last_worker_ = 0;
  size_t waiting_ = 0;
  size_t busy_ = 0;
  std::string last_served_; // among equals the next one in order has its turn
};

} // namespace caf_app::eval
