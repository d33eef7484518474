// Looking for something that should come at once, instead of going to sleep: often while it comes,
// rarely while it does not. Why it pays, and when it does not: adr/0025-busy-poll.md. One thread.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace caf_app {

class busy_poll {
public:
  /// About what a thread that sleeps takes to wake up.
  static constexpr std::chrono::microseconds window{50};
  /// Looking for so long means that others had this core meanwhile: who sleeps is back sooner.
  static constexpr std::chrono::microseconds crowded{200};
  static constexpr unsigned skipped_max = 127;         ///< after looks that found nothing
  static constexpr unsigned skipped_if_crowded = 1023; ///< after one on a crowded core

  /// Calls `look` until it says yes, at most for `window`; other threads run in between. Most calls
  /// do nothing while that is in vain.
  /// @param now tells a time of std::chrono
  /// @returns whether it said yes; else sleep
  template <class Now, class Look>
  bool find(Now now, Look look) {
    if (!due())
      return false;
    const auto began = now();
    auto took = now() - began;
    bool found = look();
    while (!found && took < window) {
      ::sched_yield();
      found = look();
      took = now() - began;
    }
    looked(took, found);
    return found;
  }

  /// Whether it is time to look again: to be asked once per occasion.
  bool due() noexcept {
    if (left_ == 0)
      return true;
    --left_;
    return false;
  }

  /// How long the last look has taken, and what came of it.
  void looked(std::chrono::nanoseconds took, bool found) noexcept {
    if (took > crowded)
      skipped_ = skipped_if_crowded;
    else if (found)
      skipped_ = 0;
    else
      skipped_ = std::min(2 * skipped_ + 1, skipped_max);
    left_ = skipped_;
  }

private:
  unsigned skipped_ = 0; // occasions, after the last look
  unsigned left_ = 0;    // of them
};

} // namespace caf_app
