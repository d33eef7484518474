// Answers a request with a stored response: preconditions, ranges and HEAD come from the whole
// entry. RFC 9111 §4.3.2, RFC 9110 §13.2.2, §14.
#pragma once

#include "actors/http/cache_entry.hpp"
#include "actors/http/cache_status.hpp"
#include "actors/http/exchange.hpp"

namespace caf_app::http {

/// Ends `open`.
/// @param what GET or HEAD
/// @param asked the fields of the request
/// @param wall seconds since 1970, as Date shows them
void answer_with(exchange& open, const cache_entry& entry, method what, const field_list& asked,
                 const cache_status& status, steady::time_point now, int64_t wall);

/// The head of the whole response. Views `entry` and `lines`, which are filled.
response head_of(const cache_entry& entry, std::string_view age, std::string_view status,
                 std::vector<field>& lines);

} // namespace caf_app::http
