#include "caf_app/cluster/error_codec.hpp"

#include <caf/atom.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>

namespace caf_app {

wire_error to_wire(const caf::error& reason) {
  if (!reason)
    return {};
  const auto& context = reason.context();
  std::string text;
  if (context.match_elements<std::string>())
    text = context.get_as<std::string>(0);
  else if (!context.empty())
    text = caf::to_string(context);
  return {reason.code(), static_cast<uint64_t>(reason.category()), std::move(text)};
}

caf::error from_wire(const wire_error& reason) {
  if (reason.code == 0)
    return {};
  const auto category = static_cast<caf::atom_value>(reason.category);
  if (reason.text.empty())
    return {reason.code, category};
  return {reason.code, category, caf::make_message(reason.text)};
}

} // namespace caf_app
