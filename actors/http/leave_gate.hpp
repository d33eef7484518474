// Whether a retirement can still be taken back: until the first listener of the process stops its
// handshakes. One gate per retirement, shared by all who take part in it. Pure.
//
//   open --close--> closed   (somebody has left: the others leave too)
//   open --revoke--> revoked (nobody leaves)
#pragma once

#include <atomic>
#include <cstdint>

namespace caf_app::http {

/// Any thread. Whoever comes first decides for all.
class leave_gate {
public:
  /// Asks for leave to do what cannot be undone. @returns false if the retirement was revoked
  bool close() noexcept { return go(state::closed); }

  /// @returns false if it is too late
  bool revoke() noexcept { return go(state::revoked); }

  bool revoked() const noexcept { return state_ == state::revoked; }

private:
  enum class state : uint8_t { open, closed, revoked };

  bool go(state wanted) noexcept {
    auto expected = state::open;
    return state_.compare_exchange_strong(expected, wanted) || expected == wanted;
  }

  std::atomic<state> state_{state::open};
};

} // namespace caf_app::http
