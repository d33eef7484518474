// Is an actor still there? CAF tells only by accepting or bouncing messages; ask, watch and the
// registry have to know before.
#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>

namespace caf_app {

/// @returns the actor behind a handle, null for a null handle; CAF's own cast is undefined for
/// those
template <class Handle>
caf::abstract_actor* actor_behind(const Handle& handle) {
  auto* block = caf::actor_cast<caf::actor_control_block*>(handle);
  return block ? block->get() : nullptr;
}

/// @returns whether `target` has ended; true is final, false may be outdated at once. Any thread.
inline bool has_ended(const caf::abstract_actor& target) noexcept {
  return target.getf(caf::abstract_actor::is_terminated_flag);
}

/// What to tell somebody who wants to use an actor that has ended: link_lost if it is remote and
/// its node is out of reach, else noproc. The text names the actor and why it ended.
/// @param target null counts as an actor that never was
caf::error why_unusable(const caf::abstract_actor* target);

/// What a watch tells about an end: link_lost for CAF's remote_link_unreachable.
caf::error watch_reason(const caf::error& reason);

/// What to tell the supervisor of an actor about its end: a watch that came too late knows only
/// noproc, the actor itself knows more.
/// @param told the reason of a down
caf::error end_reason(const caf::abstract_actor& actor, const caf::error& told);

} // namespace caf_app
