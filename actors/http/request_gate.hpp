// What is decided on a request once its route is known and before its handler sees it, the same for
// every protocol.
#pragma once

#include <optional>
#include <string>

#include "actors/http/exchange.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/transport.hpp"
#include "actors/http/uri.hpp"

namespace caf_app::http {

/// Takes a token of the route's rate limit for the client behind `peer`.
/// @returns the value of Retry-After if there is none: refuse with fault::rate
std::optional<std::string> over_rate(loop_context& context, const route_entry& route,
                                     std::string_view peer, const field_list& fields);

/// Whether a request that names this scheme may be served on this connection: the scheme of the
/// connection, or any from a trusted peer, which has met the client. RFC 9110 §7.4
bool serves_scheme(const loop_context& context, const transport& connection, scheme named);

/// Answers a request for which there is no route.
/// @returns false if the configuration wants no answer, but the end of the connection or stream
bool answer_unrouted(exchange& open, const route_decision& decision);

} // namespace caf_app::http
