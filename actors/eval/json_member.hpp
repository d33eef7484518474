// Members of objects that are of the type which is asked for.
#pragma once

#include <string>
#include <string_view>

#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// @returns the string `name` of `from`; empty if there is none
inline std::string text_of(const json& from, std::string_view name) {
  const auto* value = from.find(name);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? *text : std::string{};
}

} // namespace caf_app::eval
