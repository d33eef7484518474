#include "actors/eval/process/job_pool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace caf_app::eval {

namespace {

struct running {
  size_t index;
  child process;
};

class pool {
public:
  pool(const std::vector<job>& jobs, const pool_options& options,
       const std::function<void(size_t, child_exit, const std::string&)>& on_end)
      : jobs_(jobs), options_(options), on_end_(on_end) {}

  pool_end run() {
    for (;;) {
      while (running_.size() < options_.at_once && next_ < jobs_.size())
        start(next_++);
      if (running_.empty())
        return pool_end::done;
      if (auto end = wait(); end != pool_end::done)
        return end;
    }
  }

private:
  void start(size_t index) {
    auto& what = jobs_[index];
    owned_fd file;
    if (!what.output_path.empty())
      file = owned_fd{
          ::open(what.output_path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)};
    child_options options;
    options.arguments = what.command;
    options.folder = what.folder;
    options.output = what.output_path.empty() ? what.output : file.get();
    if (!what.environment.empty())
      options.environment = what.environment;
    auto started = start_child(options);
    if (auto why = std::get_if<std::string>(&started))
      on_end_(index, {127, 0}, *why);
    else
      running_.push_back({index, std::get<child>(std::move(started))});
  }

  /// Waits until something ends. @returns `done` to go on
  pool_end wait() {
    std::vector<pollfd> waiting{{options_.timer_fd, POLLIN, 0}, {options_.cancel_fd, POLLIN, 0}};
    for (auto& one : running_)
      waiting.push_back({one.process.pidfd(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), -1) < 0)
      return pool_end::done; // interrupted
    if (waiting[1].revents != 0)
      return pool_end::cancelled;
    if (waiting[0].revents != 0)
      return pool_end::timed_out;
    std::vector<running> rest;
    for (auto& one : running_) {
      if (auto exit = one.process.poll_exit())
        on_end_(one.index, *exit, {});
      else
        rest.push_back(std::move(one));
    }
    running_.swap(rest);
    return pool_end::done;
  }

  const std::vector<job>& jobs_;
  const pool_options& options_;
  const std::function<void(size_t, child_exit, const std::string&)>& on_end_;
  size_t next_ = 0;
  std::vector<running> running_;
};

} // namespace

owned_fd make_timer(int timeout_ms) {
  owned_fd timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
  itimerspec when{};
  when.it_value = {timeout_ms / 1000, (timeout_ms % 1000) * 1'000'000L + 1};
  ::timerfd_settime(timer.get(), 0, &when, nullptr);
  return timer;
}

pool_end run_jobs(const std::vector<job>& jobs, const pool_options& options,
                  const std::function<void(size_t, child_exit, const std::string&)>& on_end) {
  return pool{jobs, options, on_end}.run();
}

} // namespace caf_app::eval
