// A lock for critical sections of a few nanoseconds, such as one look at a hash table.
#pragma once

#include <atomic>
#include <thread>

namespace caf_app {

/// Meets the requirements of std::scoped_lock. Gives its time slice up when the holder seems to
/// have lost its core.
class spin_lock {
public:
  void lock() noexcept {
    for (int tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries)
      while (held_.load(std::memory_order_relaxed))
        if (++tries > spins_before_yield)
          std::this_thread::yield();
  }

  bool try_lock() noexcept { return !held_.exchange(true, std::memory_order_acquire); }

  void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
  static constexpr int spins_before_yield = 64;

  std::atomic<bool> held_{false};
};

} // namespace caf_app
