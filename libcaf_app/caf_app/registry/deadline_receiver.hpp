// A receiver that wants to know until when the answer to a request is needed: one whose actor lives
// elsewhere. CAF itself does not pass deadlines on.
#pragma once

#include <chrono>

#include <caf/execution_unit.hpp>
#include <caf/mailbox_element.hpp>

namespace caf_app {

/// Beside caf::abstract_actor: a base of handles whose actor lives elsewhere.
class deadline_receiver {
public:
  virtual ~deadline_receiver() = default;

  /// Like enqueue() of an actor.
  virtual void enqueue_until(caf::mailbox_element_ptr what, caf::execution_unit* unit,
                             std::chrono::steady_clock::time_point deadline) = 0;
};

} // namespace caf_app
