// What a supervisor knows about a child: data, and one function that starts it. Terms and rules are
// those of Erlang/OTP.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include "caf_app/base/limits.hpp"
#include "caf_app/supervision/supervision_event.hpp"

namespace caf_app {

class supervision_tree;

/// When is a child that ended started again?
enum class restart_type : uint8_t {
  permanent, ///< always
  transient, ///< if it ended abnormally: neither normal nor user_shutdown
  temporary, ///< never; it is forgotten
};

/// Who else is restarted when a child is?
enum class restart_strategy : uint8_t {
  one_for_one,  ///< nobody
  one_for_all,  ///< all children
  rest_for_one, ///< the children that were started after it
};

/// Does a supervisor stop when significant children have ended by themselves?
enum class auto_shutdown : uint8_t {
  never,
  any_significant, ///< with the first
  all_significant, ///< with the last
};

/// What a child is; for people who look at the tree.
enum class child_kind : uint8_t { worker, supervisor };

/// The names of the enumerators.
std::string to_string(restart_type);
std::string to_string(restart_strategy);
std::string to_string(auto_shutdown);
std::string to_string(child_kind);

/// What a start function gets.
struct start_context {
  caf::actor_system& system;
  caf::local_actor& parent;               ///< the supervisor that starts the child
  std::string path;                       ///< of the child in the tree
  std::shared_ptr<supervision_tree> tree; ///< a child that is a supervisor passes it on
  supervision_log log{};                  ///< so does it with this; may be empty
};

/// Copied into the supervisor; why_invalid_child() says what it must not be.
struct child_spec {
  /// Name of the child below its supervisor: unique there, without '/'.
  std::string id;

  /// Spawns the child, quickly. An error, a null handle or an exception is a failed start, which
  /// counts as a restart.
  std::function<caf::expected<caf::actor>(const start_context&)> start;

  restart_type restart = restart_type::permanent;

  /// Time to end after user_shutdown, then it is killed; 0: killed at once. Give a supervisor more
  /// than the sum of its children.
  std::chrono::milliseconds shutdown_timeout = limits::supervision::child_shutdown_timeout;

  /// Its own end counts for auto_shutdown. Not for permanent children.
  bool significant = false;

  child_kind kind = child_kind::worker;
};

/// @returns why no supervisor would take `spec`, empty if it is fine
std::string why_invalid_child(const child_spec& spec);

} // namespace caf_app
