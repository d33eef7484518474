// What can go wrong while the system runs, as values. One enumerator per outcome that some caller
// treats differently; the context of an error (what, where, what was expected) travels with it as
// text. Broken invariants are not here: they are CAF_APP_ASSERT's.
#pragma once

#include <cstdint>
#include <string>

#include <caf/error.hpp>
#include <caf/make_message.hpp>

namespace caf_app {

/// The codes; 0 is no error. Their numbers cross links, so they never change.
enum class errc : uint8_t {
  invalid_argument = 1, ///< the request itself is wrong; repeating it will not help
  invalid_config,       ///< a configuration file or option was refused; the text has file, line and
                        ///< column
  not_found,            ///< no such name, path, route or child
  name_taken,           ///< another living actor holds the name
  noproc,               ///< the target was dead before it could take the message
  target_failed,        ///< the target died, or gave its promise up, after it had taken the message
  link_lost,            ///< the connection to the target's node broke
  timed_out,            ///< the deadline passed
  unexpected_reply,     ///< the target answered with a type that was not asked for
  unhandled_message,    ///< the target has no handler for the message
  draining,             ///< the target finishes its work and takes no more
  denied,               ///< the caller may not do this
  conflict,             ///< the state of the target forbids it now
  too_many_restarts,    ///< a supervisor gave up: more restarts than its intensity allows
  start_failed,         ///< a child, listener or node could not start
  handler_failed,       ///< an exception left a message handler
  malformed_message,    ///< bytes that should hold a message do not
  busy,                 ///< a queue or limit is full; later may work
  io_failed,            ///< a system call failed; the text has its name and errno
  no_quorum,            ///< a majority of the cluster is out of reach
  peer_congested,       ///< too much waits for the target's node already
  node_left,            ///< the target's node has left the cluster
};

/// The sentence of an error code, without context.
std::string to_string(errc code);

} // namespace caf_app

CAF_ERROR_CODE_ENUM(caf_app::errc, "caf_app")

namespace caf_app {

/// "<sentence>: <text>", for logs and people. Also right for errors of CAF itself.
std::string describe(const caf::error& err);

/// @returns the code of `err` if it is one of ours, else 0 cast to errc
errc code_of(const caf::error& err);

/// @returns whether a request that ended with `why` has certainly not begun: noproc, draining,
/// peer_congested. Whoever else can do it may be asked instead.
bool was_not_taken(const caf::error& why);

} // namespace caf_app
