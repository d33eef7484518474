// A hashed timer wheel: arming, moving and cancelling a deadline costs a few nanoseconds, so every
// connection can have one and move it with each request. Knows no clock: the owner calls
// advance(now) when next_wakeup() has come. Deadlines are rounded up to whole ticks; a timer
// further away than one turn is looked at once per turn. Why a wheel per loop and not CAF's timers:
// adr/0002-timerfd-wheel.md.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "caf_app/base/limits.hpp"

namespace caf_app {

class timer_wheel;

/// A deadline with a callback. Lives inside its owner; cancels itself when destroyed. Not movable:
/// the wheel links it.
class wheel_timer {
public:
  /// Neither throws (that ends the process) nor destroys its own timer.
  using callback = std::function<void()>;

  /// Not armed.
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
  void fire() noexcept { on_due_(); }

  wheel_timer* prev_ = this;
  wheel_timer* next_ = this;
  uint64_t tick_ = 0;
  callback on_due_;
};

/// Of one thread. Arming and cancelling are O(1).
class timer_wheel {
public:
  using clock = std::chrono::steady_clock;

  static constexpr auto tick = limits::loop::tick;
  static constexpr size_t slots = 512; ///< one turn is 5.12 s

  /// @param origin tick 0; nothing is armed before it
  explicit timer_wheel(clock::time_point origin);

  /// Arms `timer` for `due`, whatever it was armed for before. A deadline in the past is due at the
  /// next tick; time_point::max() is never due and leaves the timer unarmed.
  void arm(wheel_timer& timer, clock::time_point due) noexcept;

  /// Runs the callbacks of all timers due at `now`, in the order of their ticks; only when it comes
  /// more than a turn late that order is lost. Callbacks may arm and cancel any timer, their own
  /// included, but not advance the wheel.
  void advance(clock::time_point now);

  /// @returns when advance() has something to look at next; time_point::max() if no timer is armed
  clock::time_point next_wakeup() const noexcept;

  /// @returns `due` rounded up to the tick at which a timer armed for it runs
  clock::time_point rounded(clock::time_point due) const noexcept {
    return origin_ + tick_after(due) * tick;
  }

private:
  static constexpr size_t word_bits = 64;
  static constexpr size_t words = slots / word_bits;
  static_assert(slots % word_bits == 0);

  uint64_t tick_at(clock::time_point t) const noexcept;
  uint64_t tick_after(clock::time_point t) const noexcept;
  void run_slot(uint64_t tick);
  bool slot_empty(size_t slot) const noexcept { return !heads_[slot].armed(); }
  size_t first_occupied(size_t word, uint64_t mask) const noexcept;

  clock::time_point origin_;
  uint64_t current_ = 0; // last tick that advance() has run
  std::array<wheel_timer, slots> heads_;
  // One bit per slot, so that next_wakeup() need not look at 512 lists. Cancelling knows no wheel,
  // hence a set bit may lie; next_wakeup() clears those that it meets.
  mutable std::array<uint64_t, words> occupied_{};
};

} // namespace caf_app
