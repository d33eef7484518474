// A turn is what a thread does in one go: the slice of an actor, on a worker or on a loop, up to
// scheduler.max-throughput messages; or what one look at its sockets gives a loop to do. Who has to
// do something once for all that happens in a turn, such as handing a batch of messages to a
// socket, puts it off until its end.
//
// A turn lasts as long as the handlers that run in it. What is put off needs another way out
// beside, for one that computes for long.
#pragma once

#include <memory>
#include <vector>

namespace caf_app {

/// Does something at the end of a turn.
class turn_listener {
public:
  virtual ~turn_listener() = default;

  /// On the thread of the turn, after its last handler. Must not throw.
  virtual void on_turn_end() = 0;
};

/// Begins a turn of this thread, and ends it. A turn within a turn is part of the outer one.
class turn {
public:
  /// Ends with this object, which lives on the stack.
  turn() noexcept;
  ~turn();
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

  /// Calls `who` at the end of the turn that this thread is in, as often as it was put off.
  /// @returns false if there is no turn
  static bool put_off(std::shared_ptr<turn_listener> who);

private:
  bool outermost_;
  std::vector<std::shared_ptr<turn_listener>> listeners_;
};

} // namespace caf_app
