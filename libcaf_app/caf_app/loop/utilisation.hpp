// Which share of its time a loop was not waiting, between two looks at least one second apart:
// several readers then see the same number instead of dividing each other's short spans. Any
// thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

namespace caf_app {

/// Thread safe.
class utilisation {
public:
  static constexpr std::chrono::seconds span{1};

  /// @param age of the loop, never less than before
  /// @param waited part of `age`
  /// @returns 0 .. 1
  double at(std::chrono::nanoseconds age, std::chrono::nanoseconds waited) {
    const std::lock_guard guard{mutex_};
    if (age - age_ >= span) {
      const auto idle = std::chrono::duration<double>{waited - waited_} / (age - age_);
      ratio_ = std::clamp(1.0 - idle, 0.0, 1.0);
      age_ = age;
      waited_ = waited;
    }
    return ratio_;
  }

private:
  std::mutex mutex_;
  std::chrono::nanoseconds age_{};
  std::chrono::nanoseconds waited_{};
  double ratio_ = 0;
};

} // namespace caf_app
