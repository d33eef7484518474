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

#include "actors/http/cache_limits.hpp"
#include "actors/http/client_address.hpp"
#include "actors/http/fastcgi_options.hpp"
#include "actors/http/file_rules.hpp"
#include "actors/http/upstream_config.hpp"
#include "actors/http/upstream_limits.hpp"
#include "actors/http/uri.hpp"
#include "caf_app/base/address.hpp"
#include "caf_app/base/config_rule.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app::http {

/// Response fields, in the order of the file.
using header_list = std::vector<std::pair<std::string, std::string>>;

/// What answers the requests of a route. Exactly one key of these names is written in a route.
enum class route_kind { respond, files, actor, redirect, eval, proxy, fastcgi };

std::string to_string(route_kind kind);

/// Whose requests share a rate.
enum class rate_key_kind { ip, route, header };

/// `rate_limit` and the keys beside it.
struct rate_rule {
  double per_second = 0; ///< 0: off
  size_t amount = 0;     ///< as written: "100/s"
  double burst = 0;      ///< requests at once
  rate_key_kind key = rate_key_kind::ip;
  std::string header;   ///< of the key, in lower case
  bool dry_run = false; ///< count, do not refuse

  bool is_on() const noexcept { return per_second > 0; }
  bool operator==(const rate_rule&) const = default;
};

/// What a FIN after a whole request means.
enum class half_close {
  probe,  ///< the client is asked by an interim response whether it is still there
  serve,  ///< nothing
  cancel, ///< the client is gone
};

/// Whether paths below a route's match too.
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

/// [[http.site.route]].
struct http_route {
  std::string path; ///< starts with a slash, normalised
  route_match match = route_match::prefix;
  std::string name;                 ///< metric label; the path unless written
  std::vector<std::string> methods; ///< sorted; by kind unless written; empty: any
  header_list headers;              ///< response fields set unless the handler did
  bool compress = true;             ///< on-the-fly coding
  rate_rule rate;
  path_rules paths; ///< effective: by kind unless written
  half_close on_half_close = half_close::probe;
  std::chrono::milliseconds timeout = limits::http::timeout; ///< from here on: effective values
  uint64_t max_body = limits::http::body_bytes; ///< bytes of a request's content; beyond: 413

  route_kind kind = route_kind::respond; ///< which of these counts
  respond_options respond;
  file_rules files;
  std::optional<std::chrono::seconds> max_age; ///< of files: Cache-Control
  actor_options actor;
  redirect_options redirect;
  proxy_options proxy;
  bool eval = false;
  fastcgi_options fastcgi;
  bool cache = false; ///< answers may be stored, if [http.cache] has a size

  std::optional<std::chrono::milliseconds> own_timeout; ///< as written
  std::optional<uint64_t> own_max_body;                 ///< as written
  std::optional<bool> own_merge_slashes;                ///< as written
  std::optional<size_t> own_rate_burst;                 ///< as written
};

/// Whether clients have to show a certificate.
enum class client_auth { none, request, require };

/// The part of TLS that a site may have for itself; what is not written is that of [http.tls].
struct http_site_tls {
  std::vector<std::string> cert; ///< PEM files with the chain, one per kind of key
  std::vector<std::string> key;  ///< as many, in the same order
  std::string client_ca;         ///< PEM file
  std::optional<http::client_auth> client_auth;
};

/// [[http.site]].
struct http_site {
  std::vector<std::string> host; ///< lower case: exact, "*.example.org", or "*"
  header_list headers;           ///< as of a route, for all of its routes
  http_site_tls tls;             ///< its keys are those of the site
  std::vector<http_route> route;
};

/// The oldest version that is spoken.
enum class min_tls_version { v1_2, v1_3 };

/// What a client gets that asks for a name without a certificate.
enum class unknown_sni { first_certificate, reject };

/// [http.tls].
struct http_tls {
  std::vector<std::string> cert; ///< as of a site, for all sites without
  std::vector<std::string> key;  ///< the same
  min_tls_version min_version = min_tls_version::v1_2;
  std::string ciphers; ///< of TLS 1.2, OpenSSL's notation; empty: ECDHE with AEAD
  std::string curves = "X25519:P-256:P-384"; ///< of the key exchange, preferred first
  /// Then the connection is cut.
  std::chrono::milliseconds handshake_timeout = limits::http::handshake_timeout;
  size_t max_handshakes = limits::http::handshakes; ///< at once; then accepting pauses
  bool tickets = true;                              ///< sessions may be resumed
  /// A new ticket key that often.
  std::chrono::milliseconds ticket_rotate = limits::http::ticket_rotate;
  std::string ticket_key_file; ///< 80 or 240 bytes; empty: random keys
  std::string ocsp_file;       ///< DER
  std::string client_ca;       ///< PEM
  std::string client_crl;      ///< PEM
  http::client_auth client_auth = http::client_auth::none;
  http::unknown_sni unknown_sni = http::unknown_sni::first_certificate;
};

/// [http.cache]: stored responses of routes with `cache = true`.
struct http_cache {
  uint64_t size = 0;                                      ///< bytes with metadata; 0: off
  uint64_t max_object = limits::http::cache_object_bytes; ///< bytes of content; larger: not stored
  size_t max_variants = limits::http::cache_variants;     ///< per URL
  /// How long a request waits for another's fetch of the same.
  std::chrono::milliseconds lock_timeout = limits::http::cache_lock_timeout;
  double heuristic = 0.1; ///< share of the time since Last-Modified
  std::chrono::milliseconds heuristic_max = limits::http::cache_heuristic_max; ///< bound of that
  std::chrono::milliseconds stale_while_revalidate{0}; ///< unless the response says so itself
  std::chrono::milliseconds stale_if_error{0};         ///< the same
};

/// What a request to a host without a site gets.
enum class unknown_host { misdirected, not_found, close };

/// How lines of the access log look: see log_line.hpp.
enum class access_format { combined, json };

/// [http.limits]. Where the defaults come from: base/limits.hpp.
struct http_limits {
  size_t max_header_bytes = limits::http::head_bytes;     ///< of a head, and of trailers
  size_t max_headers = limits::http::fields;              ///< fields of a head
  size_t max_target = limits::http::target_bytes;         ///< bytes
  uint64_t max_body = limits::http::body_bytes;           ///< bytes of a request's content
  uint64_t body_memory = limits::http::body_memory_bytes; ///< bytes; above them it goes to a file
  uint64_t max_chunk_extensions = limits::http::chunk_extension_bytes; ///< bytes per body
  size_t max_connections = limits::http::connections;                  ///< then accepting pauses
  size_t max_per_ip = 0; ///< connections of an address; more are closed at once; 0: off
  /// Of a silent new connection.
  std::chrono::milliseconds first_byte_timeout = limits::http::first_byte_timeout;
  /// Of a whole head, from its first byte on.
  std::chrono::milliseconds header_timeout = limits::http::header_timeout;
  /// Without a byte of a body.
  std::chrono::milliseconds body_timeout = limits::http::body_timeout;
  uint64_t body_min_rate = limits::http::body_rate_min; ///< bytes per second, after 5 s
  /// Without a byte of a response taken.
  std::chrono::milliseconds send_timeout = limits::http::send_timeout;
  /// Between two requests.
  std::chrono::milliseconds keepalive_idle = limits::http::keepalive_idle;
  size_t keepalive_requests = limits::http::keepalive_requests; ///< per connection
  /// Of a connection, give or take 10 %.
  std::chrono::milliseconds connection_max_age = limits::http::connection_age;
  /// From a request that is read until the head of its response.
  std::chrono::milliseconds timeout = limits::http::timeout;
  /// Lag of a loop at which routes with work behind them answer 503.
  std::chrono::milliseconds shed_lag = limits::http::shed_lag;
  /// How long, and how many bytes of it, input is read away after a last response.
  std::chrono::milliseconds linger = limits::http::linger;
  uint64_t linger_bytes = limits::http::linger_bytes;
  /// Then a drain cuts what is left.
  std::chrono::milliseconds drain_deadline = limits::http::drain_deadline;
  /// The same for WebSockets.
  std::chrono::milliseconds tunnel_deadline = limits::http::tunnel_deadline;
  uint32_t h2_streams = limits::http::h2_streams;     ///< at once per connection
  uint32_t h2_window = limits::http::h2_window_bytes; ///< bytes that a stream may send ahead
  /// The same for all streams together.
  uint32_t h2_connection_window = limits::http::h2_connection_window_bytes;
  /// Until preface and acknowledged SETTINGS.
  std::chrono::milliseconds h2_settings_timeout = limits::http::h2_settings_timeout;
};

/// [http].
struct http_config {
  std::vector<host_port> listen;       ///< each loop binds each, with SO_REUSEPORT
  std::vector<host_port> listen_tls;   ///< the same for TLS; needs a certificate
  size_t loops = 1;                    ///< threads
  bool pin = false;                    ///< loop i on the i-th allowed core
  int backlog = limits::loop::backlog; ///< accept queue; the kernel caps it (somaxconn)
  bool http2 = true;                   ///< by ALPN
  bool h2c = false;                    ///< on cleartext, by prior knowledge
  std::string server = "caf_app";      ///< the field Server; empty: omitted
  caf_app::http::unknown_host unknown_host = caf_app::http::unknown_host::misdirected;
  std::string access_log; ///< absolute path, "-" for stderr, empty: off
  caf_app::http::access_format access_format = caf_app::http::access_format::combined;
  std::vector<address_block> trusted_proxies; ///< whose forwarding fields are believed
  bool test_hooks = false;                    ///< /test/echo and /test/block on every site
  http_limits limits;
  http_tls tls;
  http_cache cache;
  std::vector<http_upstream> upstream;
  std::vector<http_site> site;
};

using http_config_ptr = std::shared_ptr<const http_config>;

/// The rule for the section: `file.read("http", http_config_rule(), config)`.
config_rule<http_config> http_config_rule();

/// The rule for [http.limits]; also for tests that need a limits table alone.
config_rule<http_limits> http_limits_rule();

/// The rule for [[http.upstream]].
config_rule<http_upstream> http_upstream_rule();

/// @returns null if there is none of this name
const http_upstream* find_upstream(const http_config& config, std::string_view name);

/// The rule for [[http.site.route]] without what the limits decide.
config_rule<http_route> http_route_rule();

/// The rule for [http.cache].
config_rule<http_cache> http_cache_rule();

/// The rule for [http.tls].
config_rule<http_tls> http_tls_rule();

/// Gives every route its effective `timeout` and `max_body`: its own, else that of the limits;
/// actor routes take at most limits::http::body_bytes_actor unless they say more.
void resolve_limits(http_config& config);

} // namespace caf_app::http
