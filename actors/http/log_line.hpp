// One line of the access log per request, as "combined" (what nginx and Apache call so, with our
// fields at its end) or as a JSON object. Bytes of a client can break neither a line nor the JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::http {

/// What is known of a request after its last byte. Empty views are written as "-", and left out of
/// JSON.
struct access_record {
  std::chrono::sys_seconds time; ///< when the request began
  std::string_view peer;         ///< "address:port" or an address
  std::string_view user;
  std::string_view method;
  std::string_view target;  ///< as sent
  std::string_view version; ///< "HTTP/1.1", "HTTP/2"
  uint16_t status = 0;      ///< 0: none was sent
  uint64_t sent = 0;        ///< bytes of content
  uint64_t received = 0;    ///< bytes of content
  std::string_view referer;
  std::string_view user_agent;
  std::string_view host; ///< as sent
  std::string_view site;
  std::string_view route;
  std::chrono::microseconds duration{0};
  std::optional<std::chrono::microseconds> upstream;
  std::string_view cache; ///< "hit", "miss", ...
  std::string_view tls;   ///< "TLSv1.3"
  std::string_view request_id;
  std::string_view abort; ///< why the response is not whole
};

/// With its line end:
/// peer - user [06/Nov/1994:08:49:37 +0000] "GET / HTTP/1.1" 200 12 "referer" "agent" site route
/// 0.001234 upstream cache tls id abort
std::string combined_line(const access_record& record);

/// With its line end. Times are in seconds, as in `combined`.
std::string json_line(const access_record& record);

} // namespace caf_app::http
