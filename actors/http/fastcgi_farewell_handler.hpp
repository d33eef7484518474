// The end of a FastCGI request whose client has gone: the server is told by FCGI_ABORT_REQUEST and
// has a second to end it in order; then the connection closes.
#pragma once

#include <memory>

#include "actors/http/upstream_link_handler.hpp"

namespace caf_app::http {

/// @param link with a request under way; null: nothing happens
void say_farewell(event_loop& loop, std::unique_ptr<upstream_link> link, steady::time_point now);

} // namespace caf_app::http
