// A real actor system with real event loops, and ways to look into them from the thread of a test.
// Nothing here sleeps: a test waits for values, with a deadline that only a hang reaches.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "caf_app/loop/event_loop.hpp"
#include "caf_app/loop/stream_socket.hpp"
#include "support/sockets.hpp"

namespace caf_app::test {

inline constexpr std::chrono::seconds patience{patience_seconds};

template <class T>
T value_of(std::future<T> result) {
  if (result.wait_for(patience) != std::future_status::ready)
    throw std::runtime_error{"nothing happened for " + std::to_string(patience_seconds) + " s"};
  return result.get();
}

/// Runs `job` on the loop's thread and waits until it has run; what it throws is thrown here. One
/// type of job for all: a task type of its own per lambda doubled the time to compile a suite.
inline void run_on_loop(event_loop& loop, std::function<void()> job) {
  auto task = std::make_shared<std::packaged_task<void()>>(std::move(job));
  auto done = task->get_future();
  loop.post([task] { (*task)(); });
  value_of(std::move(done));
}

/// Runs `f` on the loop's thread and waits for what it returns.
template <class F>
auto on_loop(event_loop& loop, F f) {
  using result_type = std::invoke_result_t<F&>;
  if constexpr (std::is_void_v<result_type>) {
    run_on_loop(loop, std::move(f));
  } else {
    auto result = std::make_shared<std::optional<result_type>>();
    run_on_loop(loop, [f = std::move(f), result]() mutable { result->emplace(f()); });
    return *std::move(*result);
  }
}

/// A value that one thread changes and another one waits for.
template <class T>
class watched {
public:
  template <class F>
  void change(F f) {
    {
      const std::lock_guard guard{mutex_};
      f(value_);
    }
    changed_.notify_all();
  }

  T get() const {
    const std::lock_guard guard{mutex_};
    return value_;
  }

  /// @returns the first value that `wanted` accepts
  template <class F>
  T wait(F wanted) const {
    std::unique_lock guard{mutex_};
    if (!changed_.wait_for(guard, patience, [&] { return wanted(value_); }))
      throw std::runtime_error{"what was waited for did not happen"};
    return value_;
  }

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  T value_{};
};

/// Waits until the last socket of `loop` has gone. Each look is a job of the loop.
inline void wait_for_no_sockets(event_loop& loop) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (on_loop(loop, [&] { return loop.stats().sockets; }) > 0)
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error{"a socket is still there"};
}

/// An actor system as a node configures it.
struct loop_config : caf::actor_system_config {
  loop_config() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", size_t{1});
    set("scheduler.max-throughput", size_t{64});
  }
};

struct loop_fixture {
  loop_config config;
  caf::actor_system sys{config};
  event_loop loop{sys, {}};
};

/// What has happened to the owner of a stream_socket.
struct stream_log {
  std::string received;
  int ends = 0;
  int drained = 0;
  int exceptions = 0;
  std::vector<int> failures;
};

/// An owner that writes down what it is told; hooks let a test react on the loop's thread. Lives as
/// long as the test, closes its socket on request only.
class recording_owner : public stream_owner {
public:
  using hook = std::function<void()>;

  void on_data(std::span<const char> bytes) override {
    log.change([&](stream_log& x) { x.received.append(bytes.data(), bytes.size()); });
    call(data_hook);
  }
  void on_end() override {
    log.change([](stream_log& x) { ++x.ends; });
    call(end_hook);
  }
  void on_drained() override {
    log.change([](stream_log& x) { ++x.drained; });
    call(drained_hook);
  }
  void on_failed(int error) override {
    log.change([&](stream_log& x) { x.failures.push_back(error); });
    call(failed_hook);
  }
  void on_exception() override {
    log.change([](stream_log& x) { ++x.exceptions; });
    call(exception_hook);
  }

  /// Opens a socket for `fd` on the loop's thread.
  void open(event_loop& loop, unique_fd fd) {
    on_loop(loop, [&, raw = fd.release()] { socket = stream_socket::open(loop, raw, *this); });
  }

  /// Closes the socket, if there is one, and waits until it is gone. Any thread but the loop's.
  void close(event_loop& loop) {
    on_loop(loop, [this] { close_now(); });
    wait_for_no_sockets(loop);
  }

  /// The same on the loop's thread, without waiting.
  void close_now() {
    if (socket)
      std::exchange(socket, nullptr)->close();
  }

  stream_socket* socket = nullptr;
  watched<stream_log> log;
  hook data_hook, end_hook, drained_hook, failed_hook, exception_hook;

private:
  static void call(const hook& f) {
    if (f)
      f();
  }
};

} // namespace caf_app::test
