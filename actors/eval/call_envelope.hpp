// What a call says about itself beside its inputs: on whose behalf (`binding`) and what it may do
// (`policy`). The server looks at these two members only; the rest of the body may be large and is
// the driver's to check.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// Binding and policy, checked.
struct call_envelope {
  std::string organisation;         ///< empty: no binding
  std::string user;                 ///< empty: no binding
  std::string graph_id;             ///< empty: none
  std::string identity = "null";    ///< the binding, normalised, as JSON
  std::vector<std::string> effects; ///< lower case: trace, error, http, filesystem
  std::vector<std::string> domains; ///< lower case, at most 256
};

/// Reads the envelope of a call's body, which may be empty. What is no JSON object has none: that
/// is the driver's to refuse. A policy needs a binding.
/// @returns the envelope, or what is wrong with it
std::variant<call_envelope, std::string> read_envelope(std::string_view body);

/// The text of a member of the object that `text` begins with, nothing if there is none. Looks at
/// structure only, in one go over the text; of members with the same name the first counts.
std::string_view find_member(std::string_view text, std::string_view name);

} // namespace caf_app::eval
