// What handlers know of the actor behind a connection: it can ask others, and it can tell whether a
// request is still open when their answer comes.
#pragma once

#include "actors/http/exchange.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app::http {

class connection_base : public loop_app_actor {
public:
  using loop_app_actor::loop_app_actor;

  /// Calls `answer` with the exchange if it still waits for its answer.
  /// @returns whether it did
  template <class F>
  bool with_open(uint64_t exchange_id, F answer) {
    auto* open = find_open(exchange_id);
    if (!open)
      return false;
    answer(*open);
    settle();
    return true;
  }

private:
  virtual exchange* find_open(uint64_t exchange_id) = 0;

  /// Something was answered outside of a socket callback.
  virtual void settle() = 0;
};

} // namespace caf_app::http
