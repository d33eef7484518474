#include "caf_app/registry/liveness.hpp"

#include <string>

#include <caf/exit_reason.hpp>
#include <caf/monitorable_actor.hpp>

#include "caf_app/base/error.hpp"

namespace caf_app {

caf::error why_unusable(const caf::abstract_actor* target) {
  if (!target)
    return caf::make_error(errc::noproc, std::string{"null handle"});
  auto text = "actor " + std::to_string(target->id());
  const auto* local = dynamic_cast<const caf::monitorable_actor*>(target);
  auto reason = local ? local->fail_state() : caf::error{};
  if (reason == caf::exit_reason::remote_link_unreachable)
    return caf::make_error(errc::link_lost, text);
  if (reason == errc::link_lost || reason == errc::node_left)
    return reason;
  if (reason)
    text += " ended: " + describe(reason);
  return caf::make_error(errc::noproc, std::move(text));
}

caf::error watch_reason(const caf::error& reason) {
  if (reason == caf::exit_reason::remote_link_unreachable)
    return caf::make_error(errc::link_lost);
  return reason;
}

caf::error end_reason(const caf::abstract_actor& actor, const caf::error& told) {
  const auto* local = dynamic_cast<const caf::monitorable_actor*>(&actor);
  return told == errc::noproc && local ? local->fail_state() : told;
}

} // namespace caf_app
