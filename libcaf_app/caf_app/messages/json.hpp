// The JSON face of an actor: what caf-ctl, HTTP routes and other loosely coupled callers send to
// any named actor.
#pragma once

#include <string>

#include <caf/meta/type_name.hpp>

namespace caf_app {

/// Asks an actor for `method` with `params`, a JSON text (never empty; "null" if there are none).
/// Answered with json_reply, or an error: invalid_argument, denied, not_found and conflict keep
/// their meaning over HTTP.
struct json_request {
  std::string method;
  std::string params;
};

/// The result, a JSON text.
struct json_reply {
  std::string value;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, json_request& x) {
  return f(caf::meta::type_name("json_request"), x.method, x.params);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, json_reply& x) {
  return f(caf::meta::type_name("json_reply"), x.value);
}

} // namespace caf_app
