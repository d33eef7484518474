// The JSON body of a command to the admin interface.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <caf/expected.hpp>

namespace caf_app {

/// The members of a command's body; which of them a command reads is its own business.
struct admin_command {
  static constexpr std::chrono::seconds timeout_default{5};
  static constexpr std::chrono::minutes timeout_max{1}; ///< a longer one is cut to this

  std::string name;   ///< of an actor or a group, or a path of the tree
  std::string body;   ///< JSON text for the actor
  uint64_t actor = 0; ///< CAF's id of an actor of the node; 0: none
  std::chrono::milliseconds timeout = timeout_default;
};

/// @param text a JSON object, or nothing
/// @returns errc::invalid_argument for anything else, unknown members and wrong types
caf::expected<admin_command> read_admin_command(const std::string& text);

} // namespace caf_app
