// What an HTTP route with `face = "http"` sends to its actor, and what it wants back. Bodies are
// whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <caf/meta/type_name.hpp>

namespace caf_app {

/// One field line; names are lower case in requests.
struct http_field {
  std::string name;
  std::string value;
};

/// A whole request. Answered with http_response.
struct http_request {
  uint64_t id = 0;    ///< unique within the node; http_cancel repeats it
  std::string method; ///< as sent, for example "GET"
  std::string target; ///< request target as sent
  std::string path;   ///< normalised path
  std::string query;  ///< raw, without '?'
  std::vector<http_field> fields;
  std::string body;         ///< decoded of any transfer coding
  std::string peer;         ///< "address:port" of the client
  std::string site;         ///< host of the site as configured
  uint32_t deadline_ms = 0; ///< time left for the answer
};

/// The answer. Connection fields and length are the server's; a status outside 200-599 is answered
/// with 502.
struct http_response {
  uint16_t status = 200;
  std::vector<http_field> fields;
  std::string body;
};

/// The client of request `id` went away: its answer is not needed any more. No reply.
struct http_cancel {
  uint64_t id = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, http_field& x) {
  return f(caf::meta::type_name("http_field"), x.name, x.value);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, http_request& x) {
  return f(caf::meta::type_name("http_request"), x.id, x.method, x.target, x.path, x.query,
           x.fields, x.body, x.peer, x.site, x.deadline_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, http_response& x) {
  return f(caf::meta::type_name("http_response"), x.status, x.fields, x.body);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, http_cancel& x) {
  return f(caf::meta::type_name("http_cancel"), x.id);
}

} // namespace caf_app
