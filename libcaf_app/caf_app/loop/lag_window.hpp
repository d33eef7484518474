// The worst lateness of a loop's ticks over the last ten to twenty seconds: long enough that a
// scrape cannot miss it, short enough that it goes away. One thread notes, any thread reads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace caf_app {

/// Two spans of memory, no allocation.
class lag_window {
public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds span{10};

  /// Notes that something ran `late` after its time. @param now never runs backwards
  void note(clock::time_point now, clock::duration late) noexcept;

  /// @returns the worst of what was noted in the last one to two spans before `now`
  std::chrono::nanoseconds worst(clock::time_point now) const noexcept;

  /// @returns the worst since the last call. One caller only.
  std::chrono::nanoseconds take() noexcept;

  /// What take() would return, which stays.
  std::chrono::nanoseconds untaken() const noexcept {
    return std::chrono::nanoseconds{untaken_.load(std::memory_order_relaxed)};
  }

private:
  std::atomic<int64_t> began_{0}; // of the current span
  std::atomic<int64_t> current_{0};
  std::atomic<int64_t> previous_{0};
  std::atomic<int64_t> untaken_{0};
};

} // namespace caf_app
