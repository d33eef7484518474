// A whole CAF message as bytes and back. Errors are values here: CAF's own operators lose them, and
// some of its loaders throw.
#pragma once

#include <string>
#include <string_view>

#include <caf/execution_unit.hpp>
#include <caf/expected.hpp>
#include <caf/message.hpp>
#include <caf/type_erased_tuple.hpp>

namespace caf_app {

/// Appends `content` to `out`.
/// @param ctx of the system that knows the types; handles of its own actors become exported
/// @returns malformed_message if a type is not registered or may not cross a link; then `out` is as
/// it was
caf::error write_message(caf::execution_unit* ctx, const caf::type_erased_tuple& content,
                         std::string& out);
/// The same.
caf::error write_message(caf::execution_unit* ctx, const caf::message& content, std::string& out);

/// @param ctx its proxy registry answers for handles of other nodes
/// @param bytes one message and nothing else
/// @returns malformed_message if they are anything else
caf::expected<caf::message> read_message(caf::execution_unit* ctx, std::string_view bytes);

} // namespace caf_app
