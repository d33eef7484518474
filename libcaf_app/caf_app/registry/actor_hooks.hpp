// What hardened actors count and where they report. There is one set of hooks per actor system. It
// travels in the system's configuration, so that no actor has to be handed a pointer and nothing is
// global: a configuration derives from caf::actor_system_config and from hook_carrier.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <caf/fwd.hpp>

#include "caf_app/base/metrics.hpp"

namespace caf_app {

/// Counters and an optional log. Any thread.
struct actor_hooks {
  counter unhandled_messages; ///< sends and requests without a handler
  counter errors_received;    ///< error messages that no ask was waiting for
  counter handler_failures;   ///< exceptions that left a handler
  counter late_replies;       ///< answers that came after the deadline of their ask
  counter ask_timeouts;       ///< deadlines that passed
  counter expired_requests;   ///< came over a link and were read after their deadline: dropped

  /// Called for whatever the counters above count, but for late replies and timeouts; on the
  /// actor's thread; must not block or throw. Empty: nothing is logged. Set before actors exist.
  std::function<void(const caf::local_actor& self, const std::string& what)> report;
};

/// Mixed into the configuration of an actor system.
class hook_carrier {
public:
  /// Counters at zero, no report.
  hook_carrier() : hooks_(std::make_shared<actor_hooks>()) {}
  virtual ~hook_carrier();
  hook_carrier(const hook_carrier&) = delete;
  hook_carrier& operator=(const hook_carrier&) = delete;

  /// Never null; what counts may keep it longer than the system.
  const std::shared_ptr<actor_hooks>& hooks() const { return hooks_; }

private:
  std::shared_ptr<actor_hooks> hooks_;
};

/// @returns the hooks of the system, null if its configuration carries none
actor_hooks* hooks_of(const caf::actor_system& system);

} // namespace caf_app
