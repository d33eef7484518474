// Server-sent events (HTML Living Standard, 9.2) as text: what /v1/events sends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caf_app {

/// One event; line feeds in `data` begin further lines of data, as the receiver joins them again.
/// @param name without line feeds
std::string event_text(std::string_view name, std::string_view data);

/// The last `count` elements of a JSON array, as it is if there are no more or it is none.
std::string tail_of(std::string_view array, size_t count);

} // namespace caf_app
