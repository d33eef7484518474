// How a request becomes a call of a named actor's JSON face, and how the actor's errors become
// statuses. The one place where errc meets HTTP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "actors/http/field_list.hpp"
#include "caf_app/messages/http.hpp"

namespace caf_app::http {

/// @param below path below the route: "/get/all" is the method "get.all", nothing is "call"
std::string actor_method(std::string_view below);

/// The query as a JSON object of strings, percent escapes and '+' decoded; of a repeated name the
/// last value counts.
/// @returns errc::invalid_argument if something is no UTF-8, or for more than 256 names
caf::expected<std::string> query_to_json(std::string_view query);

/// @returns whether `value` of Content-Type names JSON: application/json or a type that ends in
/// +json
bool is_json_type(std::string_view value);

/// @returns no error if `text` is one JSON value of at most 128 levels, else errc::invalid_argument
/// with the position
caf::error check_json(std::string_view text);

/// What an ask that failed means for the client.
struct actor_failure {
  uint16_t status;  ///< of HTTP
  bool retry_later; ///< send Retry-After
  bool explain;     ///< the actor said so itself: its text goes to the client as JSON
};

/// 503 if the actor is not there, drains or is busy, 502 if it or the way to it was lost, 504 if it
/// was late. Its own errors: 400, 403, 404, 409 for those of errc that say so, else 500.
actor_failure failure_of(const caf::error& why);

/// {"error": text, "code": word} for errors that an actor answered with.
std::string explain_error(const caf::error& why);

/// With names in lower case.
std::vector<http_field> copy_fields(const field_list& fields);

} // namespace caf_app::http
