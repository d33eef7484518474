// ask for threads that are no actors: tools and tests. Blocks; never call it in an actor.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/asking.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

/// @tparam Reply what the target answers with: one element
/// @returns the reply, or the errors of asking::ask
template <class Reply, class Handle, class Rep, class Period, class... Ts>
caf::expected<Reply> ask_blocking(caf::actor_system& system, const Handle& target,
                                  std::chrono::duration<Rep, Period> timeout, Ts&&... xs) {
  const auto* receiver = actor_behind(target);
  if (!receiver || has_ended(*receiver))
    return why_unusable(receiver);
  caf::expected<Reply> result{caf::error{}};
  caf::scoped_actor self{system};
  self->request(caf::actor_cast<caf::actor>(target), detail::clamp_ask_timeout(timeout),
                std::forward<Ts>(xs)...)
      .receive([&](Reply& reply) { result = std::move(reply); },
               [&](caf::error& err) { result = detail::translated(std::move(err)); });
  return result;
}

} // namespace caf_app
