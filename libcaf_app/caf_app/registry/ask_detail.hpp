// What asking<> is made of and needs no base class for.
#pragma once

#include <chrono>
#include <type_traits>

#include <caf/all.hpp>

#include "caf_app/registry/deadline_receiver.hpp"

namespace caf_app {

namespace detail {

/// How long an ask may take: zero or more, at most limits::registry::ask_timeout_max.
std::chrono::nanoseconds clamp_ask_timeout(std::chrono::duration<double> wanted);

/// @returns what the asker sees of an error that CAF made
caf::error translated(caf::error reason);

/// @returns the error that a reply carries, translated for its asker; no error if it is a result
caf::error failure_of(caf::mailbox_element& reply);

/// Type of the one timeout_msg of asking actors.
inline constexpr auto ask_timer = caf::atom("ask");

/// Hands a request to its target; to one on another node together with the deadline.
inline void deliver_ask(caf::abstract_actor& target, caf::mailbox_element_ptr request,
                        caf::execution_unit* unit, const caf::node_id& own_node,
                        std::chrono::steady_clock::time_point deadline) {
  if (target.node() != own_node) // the usual case compares two pointers
    if (auto* remote = dynamic_cast<deadline_receiver*>(&target))
      return remote->enqueue_until(std::move(request), unit, deadline);
  target.enqueue(std::move(request), unit);
}

/// Count in the actor_hooks of the system, if it has some.
void count_late_reply(const caf::actor_system& system);
void count_ask_timeout(const caf::actor_system& system);
void count_expired_request(const caf::actor_system& system);

/// Whether `Handle` accepts `Ts`; dynamically typed ones accept all.
template <class Handle, class... Ts>
constexpr bool accepts() {
  if constexpr (requires { typename Handle::signatures; })
    return caf::response_type_unbox<
        typename Handle::signatures,
        caf::detail::type_list<caf::detail::implicit_conversions_t<std::decay_t<Ts>>...>>::valid;
  else
    return true;
}

} // namespace detail

} // namespace caf_app
