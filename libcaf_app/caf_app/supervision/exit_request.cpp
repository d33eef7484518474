#include "caf_app/supervision/exit_request.hpp"

#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

void caf_app::request_exit(const caf::actor& to, caf::actor_addr from, caf::error reason) {
  const auto priority = reason == caf::exit_reason::kill ? caf::message_priority::high
                                                         : caf::message_priority::normal;
  auto* target = caf::actor_cast<caf::abstract_actor*>(to);
  target->eq_impl(caf::make_message_id(priority), nullptr, nullptr,
                  caf::exit_msg{std::move(from), std::move(reason)});
}
