#include "caf_app/base/error.hpp"

#include <caf/atom.hpp>
#include <caf/message.hpp>

namespace caf_app {

std::string to_string(errc code) {
  switch (code) {
    case errc::invalid_argument: return "invalid argument";
    case errc::invalid_config: return "invalid configuration";
    case errc::not_found: return "not found";
    case errc::name_taken: return "name taken by another living actor";
    case errc::noproc:
      return "no such process: the target was dead before it could take the message";
    case errc::target_failed: return "the target failed after it had taken the message";
    case errc::link_lost: return "noconnection: the link to the target's node was lost";
    case errc::timed_out: return "deadline passed";
    case errc::unexpected_reply: return "the reply has an unexpected type";
    case errc::unhandled_message: return "the target has no handler for the message";
    case errc::draining: return "the target is draining";
    case errc::denied: return "permission denied";
    case errc::conflict: return "the state of the target forbids it";
    case errc::too_many_restarts: return "too many restarts within the period";
    case errc::start_failed: return "start failed";
    case errc::handler_failed: return "an exception left a message handler";
    case errc::malformed_message: return "malformed message";
    case errc::busy: return "busy: a limit is reached";
    case errc::io_failed: return "system call failed";
    case errc::no_quorum: return "no quorum: a majority of the cluster is out of reach";
    case errc::peer_congested: return "too much waits for the target's node already";
    case errc::node_left: return "the target's node has left the cluster";
  }
  return "unknown error";
}

errc code_of(const caf::error& err) {
  return err && err.category() == caf::atom("caf_app") ? static_cast<errc>(err.code()) : errc{};
}

bool was_not_taken(const caf::error& why) {
  switch (code_of(why)) {
    case errc::noproc:
    case errc::draining:
    case errc::peer_congested: return true;
    default: return false;
  }
}

std::string describe(const caf::error& err) {
  if (!err)
    return "no error";
  const auto code = code_of(err);
  if (code == errc{})
    return caf::to_string(err);
  auto text = to_string(code);
  const auto& context = err.context();
  if (context.match_elements<std::string>())
    text += ": " + context.get_as<std::string>(0);
  else if (!context.empty())
    text += ": " + caf::to_string(context);
  return text;
}

} // namespace caf_app
