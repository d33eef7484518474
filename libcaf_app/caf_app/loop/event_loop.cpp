#include "caf_app/loop/event_loop.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include "caf_app/base/assert.hpp"
#include "caf_app/base/limits.hpp"
#include "caf_app/loop/turn.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::milliseconds heartbeat_period{100};

int64_t ns(event_loop::clock::time_point t) { return t.time_since_epoch().count(); }

} // namespace

/// Other threads write the eventfd when the loop sleeps. An edge is enough: each write is one, and
/// the count is never read.
class event_loop::wakeup : public poll_handler {
public:
  explicit wakeup(epoll_set& polls) : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    CAF_APP_ASSERT(fd_ >= 0);
    const auto error = polls.add(fd_, EPOLLIN | EPOLLET, *this);
    CAF_APP_ASSERT(error == 0);
  }
  ~wakeup() override { ::close(fd_); }
  void on_poll(uint32_t) noexcept override {}
  void signal() const noexcept {
    const uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(fd_, &one, sizeof one);
  }

private:
  int fd_;
};

event_loop::event_loop(caf::actor_system& system, options opts)
    : caf::execution_unit(&system), opts_(opts), scratch_(limits::loop::read_buffer_bytes) {
  max_throughput_ = caf::get_or(system.config(), "scheduler.max-throughput", size_t{64});
  thread_ = std::thread{[this] { run(); }};
  up_.wait(false);
}

event_loop::~event_loop() {
  CAF_APP_ASSERT(!on_this_thread());
  post([this] { stopping_ = true; });
  thread_.join();
}

void event_loop::pin() const {
  if (!opts_.cpu)
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(*opts_.cpu, &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set); // best effort: it only costs speed
}

void event_loop::start() {
  ::pthread_setname_np(::pthread_self(), ("loop-" + std::to_string(opts_.index)).c_str());
  sigset_t sigpipe; // sendfile has no MSG_NOSIGNAL
  ::sigemptyset(&sigpipe);
  ::sigaddset(&sigpipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &sigpipe, nullptr);
  pin();
  tid_ = ::gettid();
  id_ = std::this_thread::get_id();
  now_ = clock::now();
  started_ns_ = ns(now_);
  pass_began_ns_ = ns(now_);
  timers_.emplace(now_);
  wakeup_ = std::make_unique<wakeup>(polls_);
  heartbeat_.emplace([this] { on_heartbeat(); });
  arm_heartbeat();
  up_ = true;
  up_.notify_one();
}

void event_loop::run() {
  start();
  for (;;) {
    run_jobs();
    if (stopping_ && idle() && sockets_ == 0 && close_inbox())
      break;
    poll();
    timers_->advance(now_);
    take_inbox();
  }
  heartbeat_.reset();
}

void event_loop::run_jobs() {
  for (size_t i = 0; i < jobs_per_pass; ++i) {
    if (next_ == batch_.size()) {
      batch_.clear();
      next_ = 0;
      if (jobs_.empty())
        return;
      batch_.swap(jobs_);
    }
    run_job(batch_[next_++]);
  }
}

void event_loop::run_job(caf::resumable* job) {
  const turn slice;
  switch (job->resume(this, max_throughput_)) {
    case caf::resumable::resume_later: jobs_.push_back(job); break;
    case caf::resumable::shutdown_execution_unit: break;
    default: caf::intrusive_ptr_release(job);
  }
}

void event_loop::poll() noexcept {
  passes_.store(passes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (idle()) {
    begin_wait();
    if (!finds_soon())
      polls_.wait(may_sleep() ? sleep_ms() : 0);
    end_wait();
  } else {
    now_ = clock::now();
    pass_began_ns_.store(ns(now_), std::memory_order_relaxed);
    polls_.wait(0);
  }
  const turn callbacks;
  polls_.dispatch();
}

// Other threads need no signal meanwhile: it looks at the inbox, too.
bool event_loop::finds_soon() noexcept {
  auto* expected = std::exchange(expected_, nullptr);
  return expected && expected->find(clock::now, [this] {
    polls_.wait(0);
    return polls_.has_found() || inbox_filled_;
  });
}

// Rounded up, so that what is due then is due when the loop looks.
int event_loop::sleep_ms() const noexcept {
  using namespace std::chrono;
  const auto due = timers_->next_wakeup();
  if (due == clock::time_point::max())
    return -1;
  const auto left = ceil<milliseconds>(due - now_).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

bool event_loop::may_sleep() noexcept {
  asleep_ = true;
  if (!inbox_filled_)
    return true;
  asleep_ = false;
  return false;
}

void event_loop::begin_wait() noexcept {
  now_ = clock::now();
  wait_began_ns_.store(ns(now_), std::memory_order_relaxed);
  pass_began_ns_.store(0, std::memory_order_relaxed);
}

void event_loop::end_wait() noexcept {
  asleep_.store(false, std::memory_order_relaxed); // too late costs a needless signal
  now_ = clock::now();
  const auto began = wait_began_ns_.exchange(0, std::memory_order_relaxed);
  waited_ns_.fetch_add(ns(now_) - began, std::memory_order_relaxed);
  pass_began_ns_.store(ns(now_), std::memory_order_relaxed);
  if (!heartbeat_->armed())
    arm_heartbeat();
}

void event_loop::arm_heartbeat() noexcept {
  heartbeat_pass_ = passes_.load(std::memory_order_relaxed);
  heartbeat_due_ = timers_->rounded(now_ + heartbeat_period);
  timers_->arm(*heartbeat_, heartbeat_due_);
}

// A loop that only its heartbeat woke has nothing to be late with: it sleeps until something else
// comes.
void event_loop::on_heartbeat() {
  const auto now = clock::now();
  lag_.note(now, std::max(now - heartbeat_due_, clock::duration::zero()));
  if (passes_.load(std::memory_order_relaxed) > heartbeat_pass_ + 1)
    arm_heartbeat();
}

void event_loop::exec_later(caf::resumable* job) {
  switch (job->subtype()) {
    case caf::resumable::io_actor:
    case caf::resumable::function_object: break;
    default: system().scheduler().enqueue(job); return;
  }
  if (on_this_thread())
    jobs_.push_back(job);
  else if (!give(job)) // nobody will run it any more
    caf::scheduler::abstract_coordinator::cleanup_and_release(job);
  else if (asleep_.exchange(false))
    wakeup_->signal();
}

bool event_loop::give(caf::resumable* job) {
  const std::lock_guard guard{inbox_mutex_};
  if (inbox_closed_)
    return false;
  inbox_.push_back(job);
  inbox_filled_ = true;
  return true;
}

void event_loop::take_inbox() {
  if (!inbox_filled_.load(std::memory_order_relaxed))
    return;
  const std::lock_guard guard{inbox_mutex_};
  inbox_filled_ = false;
  jobs_.insert(jobs_.end(), inbox_.begin(), inbox_.end());
  inbox_.clear();
}

bool event_loop::close_inbox() {
  const std::lock_guard guard{inbox_mutex_};
  inbox_closed_ = inbox_.empty();
  return inbox_closed_;
}

loop_stats event_loop::stats() const {
  loop_stats result;
  const auto now = clock::now();
  const auto waiting_since = wait_began_ns_.load(std::memory_order_relaxed);
  const auto running_since = pass_began_ns_.load(std::memory_order_relaxed);
  result.age = std::chrono::nanoseconds{ns(now) - started_ns_};
  result.waited = std::chrono::nanoseconds{waited_ns_.load(std::memory_order_relaxed) +
                                           (waiting_since ? ns(now) - waiting_since : 0)};
  result.running_for = std::chrono::nanoseconds{running_since ? ns(now) - running_since : 0};
  result.lag_max = lag_.untaken();
  result.lag_recent = lag_.worst(now);
  result.sockets = sockets_.load(std::memory_order_relaxed);
  result.passes = passes_.load(std::memory_order_relaxed);
  return result;
}

std::chrono::nanoseconds event_loop::take_lag_max() { return lag_.take(); }

} // namespace caf_app
