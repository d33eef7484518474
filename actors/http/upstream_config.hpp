// [[http.upstream]]: servers behind proxies, and how they are used. Fields are called like their
// keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/http/upstream_policy.hpp"

namespace caf_app::http {

/// What a server speaks.
enum class upstream_scheme : uint8_t { http, https, fcgi };

struct upstream_server {
  upstream_scheme scheme = upstream_scheme::http; ///< of "unix:/path": what its routes speak
  std::string address; ///< "127.0.0.1:80", "[::1]:80", "name:80" or "unix:/path"
  uint32_t weight = 1; ///< 1 to 1000: its share, among those of the others
  bool backup = false; ///< only if no other can be used

  bool is_unix() const { return address.starts_with("unix:"); }
  bool operator==(const upstream_server&) const = default;
};

/// `health = {path, ...}`: active checks.
struct upstream_health {
  using ms = std::chrono::milliseconds;

  std::string path;  ///< what is asked for; 2xx and 3xx are good
  ms period{2'000};  ///< between two checks
  ms timeout{1'000}; ///< of one; then it is bad
  size_t rise = 2;   ///< good answers until a server is used again
  size_t fall = 3;   ///< bad ones until it is not used any more

  bool operator==(const upstream_health&) const = default;
};

struct http_upstream {
  using ms = std::chrono::milliseconds;

  std::string name;
  std::vector<upstream_server> servers; ///< at least one
  balance_kind balance = balance_kind::least_conn;
  size_t max_conns = 256;        ///< per server and loop
  size_t queue = 256;            ///< requests that wait, per loop; beyond: 503
  ms queue_timeout{1'000};       ///< of one that waits; then 503
  size_t keepalive = 64;         ///< idle connections per server and loop
  ms keepalive_idle{15'000};     ///< of an idle connection
  ms max_age{600'000};           ///< of a connection
  ms connect_timeout{1'000};     ///< then the next server
  ms first_byte_timeout{30'000}; ///< from the request until the head of its response; then 504
  ms read_timeout{30'000};       ///< between bytes of a response, or of a request not taken
  size_t retries = 1;            ///< further tries of a request
  double retry_budget = 0.2;     ///< share of the requests of ten seconds; 0: no further tries
  size_t eject_fails = 5;        ///< until a server is out; 0: never
  ms eject_window{10'000};       ///< in which they count
  ms eject_time{10'000};         ///< out of use
  double eject_max = 0.5;        ///< share of the servers that may be out
  ms slow_start{0};              ///< linear ramp after recovery
  std::optional<upstream_health> health; ///< nothing: no checks
  std::string status_path;               ///< of PHP-FPM, for the scaler; empty: none
  bool verify = true;                    ///< TLS: the server's certificate
  std::string ca;                        ///< TLS: PEM file; empty: those of the system
  std::string sni;                       ///< TLS: name to ask for; empty: the host

  bool operator==(const http_upstream&) const = default;
};

/// `proxy = "upstream"` and the keys beside it.
struct proxy_options {
  std::string upstream;       ///< its name
  bool strip_prefix = false;  ///< the upstream sees what is below the route
  bool preserve_host = false; ///< Host is the client's, else the server's
  bool websocket = false;     ///< requests may become tunnels
  bool underscores = false;   ///< fields with '_' in their names pass
};

} // namespace caf_app::http
