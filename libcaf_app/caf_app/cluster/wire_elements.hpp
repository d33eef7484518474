// The elements of a message that is read: which type has which name, and the message around them.
// CAF has both, slower: it compares a name with those of all its types one after the other, and a
// message of one element costs three allocations.
#pragma once

#include <string_view>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/type_erased_value.hpp>

namespace caf_app {

/// @returns a fresh value of the type that CAF knows by this name, null if there is none
caf::type_erased_value_ptr make_element(const caf::actor_system& system, std::string_view name);

/// @param elements at least one
caf::message message_of(std::vector<caf::type_erased_value_ptr> elements);
/// The same for one element, in a single allocation.
caf::message message_of(caf::type_erased_value_ptr element);

} // namespace caf_app
