// [http] of a cluster file as a typed value: where to listen, sites and their routes, limits.
// Fields are called like their keys. Reading checks all that can be known without opening anything;
// the result is immutable and shared by pointer. What a route does is its kind: see `route_kind`
// and the table in http_config_route.cpp, which is where a new kind is added.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caf_app/base/address.hpp"
#include "caf_app/base/config_rule.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app::http {

/// Response fields, in the order of the file.
using header_list = std::vector<std::pair<std::string, std::string>>;

/// What answers the requests of a route. Exactly one key of these names is written in a route.
enum class route_kind { respond, actor, redirect, eval };

std::string to_string(route_kind kind);

enum class route_match { prefix, exact };

/// Which messages a named actor gets.
enum class actor_face { json, http };

/// `respond = {status, type, body, headers}`: a fixed answer.
struct respond_options {
  uint16_t status = 200;
  std::string type = "text/plain";
  std::string body;
  header_list headers;
};

/// `actor = "name"`, with `face` beside it.
struct actor_options {
  std::string name;
  actor_face face = actor_face::json;
};

/// `redirect = {to, status}`.
struct redirect_options {
  std::string to; ///< may hold `${path}` and `${query}`
  uint16_t status = 308;
};

/// What a request to the evaluator may hold, unless the route says otherwise.
inline constexpr uint64_t eval_body_bytes = 64 * limits::mib;

struct http_route {
  std::string path; ///< starts with a slash, normalised
  route_match match = route_match::prefix;
  std::string name;                 ///< metric label; the path unless written
  std::vector<std::string> methods; ///< sorted; by kind unless written; empty: any
  header_list headers;              ///< response fields set unless the handler did
  std::chrono::milliseconds timeout = limits::http::timeout; ///< from here on: effective values
  uint64_t max_body = limits::http::body_bytes;

  route_kind kind = route_kind::respond; ///< which of these counts
  respond_options respond;
  actor_options actor;
  redirect_options redirect;
  bool eval = false;

  std::optional<std::chrono::milliseconds> own_timeout; ///< as written
  std::optional<uint64_t> own_max_body;                 ///< as written
};

struct http_site {
  std::vector<std::string> host; ///< lower case: exact, "*.example.org", or "*"
  header_list headers;           ///< as of a route, for all of its routes
  std::vector<http_route> route;
};

/// What a request to a host without a site gets.
enum class unknown_host { misdirected, not_found, close };

enum class access_format { combined, json };

struct http_limits {
  size_t max_header_bytes = limits::http::head_bytes;
  size_t max_headers = limits::http::fields;
  size_t max_target = limits::http::target_bytes;
  uint64_t max_body = limits::http::body_bytes;
  uint64_t body_memory = limits::http::body_memory_bytes;
  uint64_t max_chunk_extensions = limits::http::chunk_extension_bytes;
  size_t max_connections = limits::http::connections;
  size_t max_per_ip = 0; ///< 0: off
  std::chrono::milliseconds first_byte_timeout = limits::http::first_byte_timeout;
  std::chrono::milliseconds header_timeout = limits::http::header_timeout;
  std::chrono::milliseconds body_timeout = limits::http::body_timeout;
  uint64_t body_min_rate = limits::http::body_rate_min; ///< bytes per second
  std::chrono::milliseconds send_timeout = limits::http::send_timeout;
  std::chrono::milliseconds keepalive_idle = limits::http::keepalive_idle;
  size_t keepalive_requests = limits::http::keepalive_requests;
  std::chrono::milliseconds connection_max_age = limits::http::connection_age;
  std::chrono::milliseconds timeout = limits::http::timeout;
  std::chrono::milliseconds shed_lag = limits::http::shed_lag;
  std::chrono::milliseconds linger = limits::http::linger;
  uint64_t linger_bytes = limits::http::linger_bytes;
  std::chrono::milliseconds drain_deadline = limits::http::drain_deadline;
};

struct http_config {
  std::vector<host_port> listen;
  size_t loops = 1;
  bool pin = false; ///< loop i on the i-th allowed core
  int backlog = limits::loop::backlog;
  std::string server = "caf_app"; ///< the field Server; empty: omitted
  caf_app::http::unknown_host unknown_host = caf_app::http::unknown_host::misdirected;
  std::string access_log; ///< absolute path, "-" for stderr, empty: off
  caf_app::http::access_format access_format = caf_app::http::access_format::combined;
  bool test_hooks = false; ///< /test/echo and /test/block on every site
  http_limits limits;
  std::vector<http_site> site;
};

using http_config_ptr = std::shared_ptr<const http_config>;

/// The rule for the section: `file.read("http", http_config_rule(), config)`.
config_rule<http_config> http_config_rule();

/// The rule for [http.limits]; also for tests that need a limits table alone.
config_rule<http_limits> http_limits_rule();

/// The rule for [[http.site.route]] without what the limits decide.
config_rule<http_route> http_route_rule();

/// Gives every route its effective `timeout` and `max_body`: its own, else that of the limits;
/// actor routes take at most limits::http::body_bytes_actor unless they say more.
void resolve_limits(http_config& config);

} // namespace caf_app::http
