// What the access log wants to know of a request when its response is done and its head is long
// gone.
#pragma once

#include <string>

#include "actors/http/h1_session.hpp"

namespace caf_app::http {

struct h1_session::log_facts {
  static log_facts of(const h1_request& head, std::string_view peer, const loop_context& context,
                      uint64_t id);

  std::string method;
  std::string target;
  std::string host;
  std::string referer;
  std::string user_agent;
  std::string client; ///< behind a trusted proxy, else empty
  std::string request_id;
  std::optional<std::chrono::microseconds> upstream;
  std::string_view cache; ///< a literal
};

} // namespace caf_app::http
