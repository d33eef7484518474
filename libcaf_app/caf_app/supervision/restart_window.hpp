// What every supervisor asks before a restart: is this one too many? It knows neither clocks nor
// actors; what follows from the answer is up to restart_plan. Rule: intensity and period of
// Erlang/OTP.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace caf_app {

/// Copyable; holds at most `intensity` points in time.
class restart_window {
public:
  using clock = std::chrono::steady_clock;

  /// @param intensity restarts allowed within `period`; 0 allows none
  /// @param period above zero; a restart exactly that old still counts
  restart_window(size_t intensity, clock::duration period)
      : intensity_(intensity), period_(period) {}

  /// Records a restart at `now`, which never runs backwards.
  /// @returns false if it is one too many: it is not recorded, the supervisor has to give up
  bool admit(clock::time_point now);

private:
  size_t intensity_;
  clock::duration period_;
  std::deque<clock::time_point> admitted_; // oldest first, at most intensity_
};

} // namespace caf_app
