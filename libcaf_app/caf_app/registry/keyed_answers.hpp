// What an actor with asking<> does about requests that may come twice: it works once per
// request_key, and answers whoever has sent it.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <caf/actor_control_block.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include "caf_app/messages/registry.hpp"
#include "caf_app/registry/dedupe_book.hpp"

namespace caf_app {

/// The answers of one actor, used in its context.
class keyed_answers {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Whether `x` is a request that begins with a request_key.
  static bool is_keyed(const caf::mailbox_element& x) {
    return x.mid.is_request() && x.content().size() > 1 &&
           x.content().match_element<request_key>(0);
  }

  /// A request that is to be worked on, until `until`.
  struct work {
    request_key key;
    time_point until;
    caf::message content; ///< without the key
  };

  /// @returns what is to be done for `x`; nothing if it was answered, or is being worked on
  std::optional<work> begin(caf::mailbox_element& x, time_point now,
                            const caf::strong_actor_ptr& self, caf::execution_unit* unit);

  /// The work is done; errors are not kept: the next request works again.
  void finish(const request_key& key, const caf::message& reply, const caf::strong_actor_ptr& self,
              caf::execution_unit* unit);
  /// The work has failed: who waits gets the error.
  void fail(const request_key& key, const caf::error& why, const caf::strong_actor_ptr& self,
            caf::execution_unit* unit);

private:
  struct waiter {
    caf::strong_actor_ptr who;
    caf::message_id id;
  };

  dedupe_book<request_key, caf::message, waiter> book_;
};

} // namespace caf_app
