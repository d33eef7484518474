#include "caf_app/registry/asking.hpp"

#include <algorithm>
#include <string>

#include "caf_app/base/limits.hpp"
#include "caf_app/registry/actor_hooks.hpp"

namespace caf_app::detail {

std::chrono::nanoseconds clamp_ask_timeout(std::chrono::duration<double> wanted) {
  constexpr std::chrono::nanoseconds longest = limits::registry::ask_timeout_max;
  if (wanted >= longest)
    return longest;
  if (!(wanted.count() > 0))
    return std::chrono::nanoseconds{0};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(wanted);
}

caf::error translated(caf::error reason) {
  if (reason == caf::sec::request_receiver_down)
    return caf::make_error(errc::target_failed, std::string{"it ended before it answered"});
  if (reason == caf::sec::request_timeout)
    return caf::make_error(errc::timed_out);
  if (reason == caf::sec::unexpected_response)
    return caf::make_error(errc::unexpected_reply);
  if (reason == caf::exit_reason::remote_link_unreachable)
    return caf::make_error(errc::link_lost);
  return reason;
}

caf::error failure_of(caf::mailbox_element& reply) {
  auto& content = reply.content();
  if (content.type_token() != caf::make_type_token<caf::error>())
    return {};
  return translated(content.move_if_unshared<caf::error>(0));
}

caf::error unexpected_reply(const caf::type_erased_tuple& content) {
  return caf::make_error(errc::unexpected_reply,
                         std::to_string(content.size()) + " elements of other types");
}

void count_late_reply(const caf::actor_system& system) {
  if (auto* hooks = hooks_of(system))
    hooks->late_replies.add();
}

void count_ask_timeout(const caf::actor_system& system) {
  if (auto* hooks = hooks_of(system))
    hooks->ask_timeouts.add();
}

void count_expired_request(const caf::actor_system& system) {
  if (auto* hooks = hooks_of(system))
    hooks->expired_requests.add();
}

} // namespace caf_app::detail
