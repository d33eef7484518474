// One thread that owns an epoll set, a timer wheel and a run queue of actors. The loop itself is
// the execution unit of its actors: work from other threads goes through a locked vector and an
// eventfd. Why none of this is CAF's multiplexer: adr/0005-own-epoll-set.md.
//
//   starting -> running -> stopping (destructor: runs until nothing is queued and no socket is
//   left) -> gone
//
// A pass: up to jobs_per_pass jobs, one look at the sockets (it sleeps there if nothing is queued),
// due timers, what other threads have sent.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <caf/execution_unit.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>

#include "caf_app/base/busy_poll.hpp"
#include "caf_app/loop/epoll_set.hpp"
#include "caf_app/loop/lag_window.hpp"
#include "caf_app/loop/timer_wheel.hpp"

namespace caf_app {

/// What a loop has done so far; read from any thread.
struct loop_stats {
  std::chrono::nanoseconds age{};         ///< time since the loop started
  std::chrono::nanoseconds waited{};      ///< time without anything to run, an open wait included
  std::chrono::nanoseconds lag_max{};     ///< worst lateness of a tick since take_lag_max()
  std::chrono::nanoseconds lag_recent{};  ///< the same over the last ten to twenty seconds
  std::chrono::nanoseconds running_for{}; ///< age of the pass that runs now; zero while it waits
  size_t sockets = 0;                     ///< registered sockets
  uint64_t passes = 0;                    ///< looks at the sockets
};

/// What a loop may expect soon. Of one kind comes what was asked for, of the other what peers like:
/// each is looked for as often as that kind was found.
enum class expectation : uint8_t { answer, request };

/// Owns its thread from the constructor to the destructor.
class event_loop : public caf::execution_unit {
public:
  using clock = timer_wheel::clock;

  static constexpr size_t jobs_per_pass = 64; ///< then the sockets have their turn

  /// How a loop is made.
  struct options {
    size_t index = 0;       ///< names the thread: "loop-<index>"
    std::optional<int> cpu; ///< core to pin the thread to
    bool busy_poll = true;  ///< else expect_soon() does nothing
  };

  /// Starts the thread and waits until it runs.
  event_loop(caf::actor_system& system, options opts);

  /// Stops and joins; waits for sockets that are open. All actors of the loop have to be gone, and
  /// it is another thread that destroys it.
  ~event_loop() override;

  event_loop(const event_loop&) = delete;
  event_loop& operator=(const event_loop&) = delete;

  /// Takes over a reference to `job`. Any thread. Actors that are not pinned to a loop go on to the
  /// scheduler.
  void exec_later(caf::resumable* job) override;

  /// Runs `f` on the loop's thread, after this call of the same thread has returned. Any thread.
  /// `f` must not throw: that ends the process.
  template <class F>
  void post(F f) {
    struct call : job {
      explicit call(F g) : function(std::move(g)) {}
      caf::resumable::resume_result resume(caf::execution_unit*, size_t) override {
        function();
        return caf::resumable::done;
      }
      F function;
    };
    exec_later(new call(std::move(f)));
  }

  /// Whether the caller runs on the thread of this loop. Any thread.
  bool on_this_thread() const noexcept { return std::this_thread::get_id() == id_; }

  size_t index() const noexcept { return opts_.index; }

  bool busy_polls() const noexcept { return opts_.busy_poll; }

  /// Kernel thread id, for schedstat.
  int tid() const noexcept { return tid_; }

  /// Any thread; the numbers belong to nearly the same moment.
  loop_stats stats() const;

  /// @returns the worst lateness of a tick since the last call. One caller only.
  std::chrono::nanoseconds take_lag_max();

  // -- on the loop's thread only ----------------------------------------------

  epoll_set& polls() noexcept { return polls_; }
  timer_wheel& timers() noexcept { return *timers_; }

  /// The time at which the current pass began: good enough for deadlines, and free.
  const clock::time_point& now() const noexcept { return now_; }

  /// A buffer that sockets read into; its content is gone when the callback returns.
  std::span<char> scratch() noexcept { return scratch_; }

  /// Before its next sleep the loop looks for events for up to busy_poll::window. For who expects
  /// something in less time than waking up takes; while it does not come, most calls do nothing.
  void expect_soon(expectation what) noexcept {
    if (opts_.busy_poll && (!expected_ || what == expectation::answer))
      expected_ = &busy_polls_[static_cast<size_t>(what)];
  }

  /// For sockets: the loop does not end before the last of them is gone.
  void socket_added() noexcept { ++sockets_; }
  void socket_removed() noexcept { --sockets_; }

private:
  class wakeup;

  /// Posted work: runs on the loop like an actor.
  class job : public caf::ref_counted, public caf::resumable {
  public:
    subtype_t subtype() const override { return function_object; }
    void intrusive_ptr_add_ref_impl() override { ref(); }
    void intrusive_ptr_release_impl() override { deref(); }
  };

  void run();
  void start();
  void run_jobs();
  void run_job(caf::resumable* job);
  bool idle() const noexcept { return next_ == batch_.size() && jobs_.empty(); }
  bool give(caf::resumable* job);
  void take_inbox();
  bool close_inbox();
  void poll() noexcept;
  bool finds_soon() noexcept;
  bool may_sleep() noexcept;
  int sleep_ms() const noexcept;
  void begin_wait() noexcept;
  void end_wait() noexcept;
  void arm_heartbeat() noexcept;
  void on_heartbeat();
  void pin() const;

  options opts_;
  size_t max_throughput_;
  epoll_set polls_;
  std::optional<timer_wheel> timers_;
  std::optional<wheel_timer> heartbeat_;
  std::unique_ptr<wakeup> wakeup_;
  std::vector<char> scratch_;
  std::vector<caf::resumable*> batch_; // being run, from next_ on
  size_t next_ = 0;
  std::vector<caf::resumable*> jobs_; // the batch after it
  clock::time_point now_;
  clock::time_point heartbeat_due_;
  std::array<busy_poll, 2> busy_polls_; // by expectation
  busy_poll* expected_ = nullptr;       // the one to ask before the next sleep
  uint64_t heartbeat_pass_ = 0;         // in which it was armed
  std::atomic<bool> up_{false};
  std::atomic<size_t> sockets_{0};
  std::atomic<uint64_t> passes_{0};
  std::atomic<int64_t> waited_ns_{0};
  std::atomic<int64_t> wait_began_ns_{0}; // 0: not waiting
  std::atomic<int64_t> pass_began_ns_{0}; // 0: waiting
  int64_t started_ns_ = 0;
  lag_window lag_;
  std::atomic<bool> stopping_{false};
  int tid_ = 0;
  std::thread::id id_;

  // Who fills the inbox sets inbox_filled_, then looks at asleep_; who falls asleep does it the
  // other way round. Both orders are sequentially consistent, so one of the two sees the other.
  std::atomic<bool> inbox_filled_{false};
  std::atomic<bool> asleep_{false};
  std::mutex inbox_mutex_;
  std::vector<caf::resumable*> inbox_; // guarded by inbox_mutex_
  bool inbox_closed_ = false;          // guarded by inbox_mutex_

  std::thread thread_; // last: runs on all of the above
};

} // namespace caf_app
