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

enum class upstream_scheme : uint8_t { http, https, fcgi };

struct upstream_server {
  upstream_scheme scheme = upstream_scheme::http; ///< of "unix:/path": what its routes speak
  std::string address; ///< "127.0.0.1:80", "[::1]:80", "name:80" or "unix:/path"
  uint32_t weight = 1;
  bool backup = false; ///< only if no other can be used

  bool is_unix() const { return address.starts_with("unix:"); }
  bool operator==(const upstream_server&) const = default;
};

/// `health = {path, ...}`: active checks.
struct upstream_health {
  using ms = std::chrono::milliseconds;

  std::string path;
  ms period{2'000};
  ms timeout{1'000};
  size_t rise = 2; ///< good answers until a server is used again
  size_t fall = 3; ///< bad ones until it is not used any more

  bool operator==(const upstream_health&) const = default;
};

struct http_upstream {
  using ms = std::chrono::milliseconds;

  std::string name;
  std::vector<upstream_server> servers;
  balance_kind balance = balance_kind::least_conn;
  size_t max_conns = 256; ///< per server and loop
  size_t queue = 256;     ///< requests that wait, per loop
  ms queue_timeout{1'000};
  size_t keepalive = 64; ///< idle connections per server and loop
  ms keepalive_idle{15'000};
  ms max_age{600'000};
  ms connect_timeout{1'000};
  ms first_byte_timeout{30'000};
  ms read_timeout{30'000};
  size_t retries = 1;
  double retry_budget = 0.2; ///< share of the requests of ten seconds
  size_t eject_fails = 5;
  ms eject_window{10'000};
  ms eject_time{10'000};
  double eject_max = 0.5;
  ms slow_start{0};
  std::optional<upstream_health> health; ///< nothing: no checks
  std::string status_path;               ///< of PHP-FPM, for the scaler; empty: none
  bool verify = true;                    ///< TLS: the server's certificate
  std::string ca;                        ///< TLS: PEM file; empty: those of the system
  std::string sni;                       ///< TLS: name to ask for; empty: the host

  bool operator==(const http_upstream&) const = default;
};

/// `proxy = "upstream"` and the keys beside it.
struct proxy_options {
  std::string upstream;
  bool strip_prefix = false;  ///< the upstream sees what is below the route
  bool preserve_host = false; ///< Host is the client's, else the server's
  bool websocket = false;     ///< requests may become tunnels
  bool underscores = false;   ///< fields with '_' in their names pass
};

} // namespace caf_app::http
