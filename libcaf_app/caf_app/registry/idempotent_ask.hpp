// An ask that is repeated until somebody answers: for requests that do no harm when they come
// twice, or whose server recognises them. All repetitions carry the same request_key; an actor with
// asking<> works once for all that reach it. A server that was restarted in between works again.
//
//   ask --reply, or an error of the server--> done
//    ^ `--nobody holds the name, dead, link lost, node left, congested, draining--> wait --.
//    `------------------------------------------------------------------------------------'
//   until the deadline: timed_out
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/ask_limits.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

namespace detail {

/// @returns whether another try may succeed
bool worth_repeating(const caf::error& why);

/// The key of a new request of `self`.
request_key new_request_key(const caf::local_actor& self, uint64_t number);

/// One ask_idempotent() under way; the handlers of its tries keep it alive.
template <class Actor>
struct repeated_ask : std::enable_shared_from_this<repeated_ask<Actor>> {
  Actor* self;
  std::shared_ptr<const registry> names;
  std::string name;
  std::chrono::steady_clock::time_point deadline;
  request_key key;
  caf::message content;
  std::function<void(caf::message&)> on_reply;
  std::function<void(caf::error&)> on_error;

  void run() {
    const auto left = deadline - self->clock().now();
    auto over = caf::make_error(errc::timed_out, name);
    if (left <= left.zero())
      return on_error(over);
    const auto target = names->where_is(name);
    if (!target)
      return again();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
    key.deadline_ms = static_cast<uint32_t>(std::min<int64_t>(ms, UINT32_MAX));
    self->ask(target, left, caf::make_message(key) + content)
        .then([me = this->shared_from_this()](caf::message reply) { me->on_reply(reply); },
              [me = this->shared_from_this()](caf::error& why) {
                if (worth_repeating(why))
                  me->again();
                else
                  me->on_error(why);
              });
  }

  void again() {
    self->call_after(limits::registry::retry_interval,
                     [me = this->shared_from_this()] { me->run(); });
  }
};

} // namespace detail

/// Asks whoever holds `name`, again and again until `timeout`.
/// @param self an actor with asking<>; both functions run in it, exactly one of them, unless it
/// ends
/// @param content what asking::ask would send
/// @param on_reply takes caf::message&
/// @param on_error takes caf::error&: the server's own error, or timed_out
template <class Actor, class Rep, class Period>
void ask_idempotent(Actor* self, std::shared_ptr<const registry> names, std::string name,
                    std::chrono::duration<Rep, Period> timeout, caf::message content,
                    std::function<void(caf::message&)> on_reply,
                    std::function<void(caf::error&)> on_error) {
  auto run = std::make_shared<detail::repeated_ask<Actor>>();
  run->self = self;
  run->names = std::move(names);
  run->name = std::move(name);
  run->deadline = self->clock().now() + timeout;
  run->key = detail::new_request_key(
      *self, self->new_request_id(caf::message_priority::normal).request_id().integer_value());
  run->content = std::move(content);
  run->on_reply = std::move(on_reply);
  run->on_error = std::move(on_error);
  run->run();
}

} // namespace caf_app
