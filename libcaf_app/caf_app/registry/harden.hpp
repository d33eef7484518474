// The first line of every actor. CAF's defaults print on stdout, answer a message that nobody
// expected with an error that ends its sender, and end the receiver of an error; none of that
// survives contact with untrusted senders. asking<Base> does this for its actors.
#pragma once

#include <caf/fwd.hpp>

namespace caf_app {

/// Replaces the default handlers of `self`:
/// - a request without a handler is answered with errc::unhandled_message; a plain message without
///   a handler is dropped; both are counted
/// - an error message that no request waits for is counted and dropped
/// - a down_msg that nobody handles is dropped
/// - an exception ends the actor with errc::handler_failed and the text of the exception
/// What is counted goes to the actor_hooks of the system, if it has some.
void harden(caf::scheduled_actor* self);

} // namespace caf_app
