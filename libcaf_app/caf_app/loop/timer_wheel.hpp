// A hashed timer wheel: arming, moving and cancelling a deadline costs a few nanoseconds, so every
// connection can have one and move it with each request. Knows no clock: the owner calls
// advance(now) when next_wakeup() has come. Deadlines are rounded up to whole ticks; a timer
// further away than one turn is looked at once per turn.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>

namespace caf_app {

class timer_wheel;

/// A deadline with a callback. Lives inside its owner; cancels itself when destroyed. Not movable:
/// the wheel links it.
class wheel_timer {
public:
  using callback = std::function<void()>;

  explicit wheel_timer(callback on_due) : on_due_(std::move(on_due)) {}
  ~wheel_timer() { cancel(); }
  wheel_timer(const wheel_timer&) = delete;
  wheel_timer& operator=(const wheel_timer&) = delete;

  /// @returns whether the callback is still to come
  bool armed() const noexcept { return next_ != this; }

  /// Forgets the deadline; the callback will not run.
  void cancel() noexcept;

private:
  friend class timer_wheel;

  void link_before(wheel_timer& head) noexcept;

  wheel_timer* prev_ = this;
  wheel_timer* next_ = this;
  uint64_t tick_ = 0;
  callback on_due_;
};

class timer_wheel {
public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds tick{10};
  static constexpr size_t slots = 512; ///< one turn is 5.12 s

  explicit timer_wheel(clock::time_point origin);

  /// Arms `timer` for `due`, whatever it was armed for before. A deadline in the past is due at the
  /// next tick.
  void arm(wheel_timer& timer, clock::time_point due) noexcept;

  /// Runs the callbacks of all timers due at `now`, in the order of their ticks. Callbacks may arm
  /// and cancel any timer, their own included.
  void advance(clock::time_point now);

  /// @returns when advance() has something to look at next; time_point::max() if no timer is armed
  clock::time_point next_wakeup() const noexcept;

private:
  uint64_t tick_at(clock::time_point t) const noexcept;
  void run_slot(uint64_t tick);
  bool slot_empty(size_t slot) const noexcept;

  clock::time_point origin_;
  uint64_t current_ = 0; // last tick that advance() has run
  std::array<wheel_timer, slots> heads_;
};

} // namespace caf_app
