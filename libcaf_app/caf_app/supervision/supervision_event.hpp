// What a supervisor tells its log. One event per change of a child.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <caf/error.hpp>

namespace caf_app {

/// What has changed.
enum class supervision_event_kind : uint8_t {
  started,         ///< a child runs
  start_failed,    ///< a start function failed: `reason`
  ended,           ///< a child ended: `reason`
  restarting,      ///< it will be started again after `delay`
  gave_up,         ///< the supervisor at `path` ends: more restarts than its intensity allows
  ignored_request, ///< a child did not end within its timeout, and is killed
  ignored_kill,    ///< it did not even end then: its handler does not return, its thread is lost
};

/// For logs, in words.
std::string to_string(supervision_event_kind);

/// One change; `actor_id` is 0 if there is no actor.
struct supervision_event {
  supervision_event_kind kind = supervision_event_kind::started;
  std::string path; ///< of the child; of the supervisor for gave_up
  uint64_t actor_id = 0;
  caf::error reason{}; ///< none: normal
  std::chrono::nanoseconds delay{};
};

/// Runs on the supervisor's thread; must not block or throw.
using supervision_log = std::function<void(const supervision_event&)>;

} // namespace caf_app
