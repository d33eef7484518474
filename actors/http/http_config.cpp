#include "actors/http/http_config.hpp"

#include <algorithm>
#include <set>

#include "actors/http/http_config_rule.hpp"
#include "caf_app/base/config_schema.hpp"

namespace caf_app::http {

namespace {

using namespace std::chrono_literals;

constexpr size_t count_max = 1'000'000;

/// A deadline on the timer wheel.
config_rule<std::chrono::milliseconds> as_deadline() {
  return as_duration(limits::loop::tick, limits::http::timeout_max);
}

void add_input_limits(config_schema<http_limits>& schema) {
  const auto head = converted<size_t>(as_size(256, limits::http::direction_buffer_bytes));
  schema.key("max_header_bytes", &http_limits::max_header_bytes, head, "of a head, and of trailers")
      .key("max_headers", &http_limits::max_headers, as_count(1, 1000), "fields of a head")
      .key("max_target", &http_limits::max_target, head, "bytes of a request target")
      .key("max_body", &http_limits::max_body, as_size(0, size_max), "of a request")
      .key("body_memory", &http_limits::body_memory, as_size(0, size_max),
           "above it a whole body spools to an unlinked file")
      .key("max_chunk_extensions", &http_limits::max_chunk_extensions, as_size(0, limits::mib),
           "bytes per body")
      .key("max_connections", &http_limits::max_connections, as_count(1, count_max),
           "then accepting pauses; lowered to half of the descriptors a process may open")
      .key("max_per_ip", &http_limits::max_per_ip, as_count(0, count_max),
           "then connections of this address are closed at once; 0: off")
      .key("keepalive_requests", &http_limits::keepalive_requests, as_count(1, count_max),
           "per connection")
      .key("linger_bytes", &http_limits::linger_bytes, as_size(0, size_max),
           "input discarded after a last response");
}

void add_timeouts(config_schema<http_limits>& schema) {
  const auto deadline = as_deadline();
  schema
      .key("first_byte_timeout", &http_limits::first_byte_timeout, deadline,
           "of a silent new connection")
      .key("header_timeout", &http_limits::header_timeout, deadline,
           "of a whole head from its first byte")
      .key("body_timeout", &http_limits::body_timeout, deadline, "without a byte of a body")
      .key("body_min_rate", &http_limits::body_min_rate, as_size(0, limits::mib),
           "bytes of a body per second, after 5 s")
      .key("send_timeout", &http_limits::send_timeout, deadline, "without a response byte taken")
      .key("keepalive_idle", &http_limits::keepalive_idle, deadline, "between requests")
      .key("connection_max_age", &http_limits::connection_max_age, deadline, "give or take 10 %")
      .key("timeout", &http_limits::timeout, deadline, "request read until response head")
      .key("shed_lag", &http_limits::shed_lag, as_duration(10ms, 1h),
           "loop lag at which routes with work behind them answer 503")
      .key("linger", &http_limits::linger, as_duration(0ms, 1min),
           "how long input is discarded after a last response")
      .key("drain_deadline", &http_limits::drain_deadline, as_duration(0ms, 1h),
           "then a drain cuts what is left")
      .key("tunnel_deadline", &http_limits::tunnel_deadline, as_duration(0ms, 1h),
           "the same for WebSockets");
}

void add_http2(config_schema<http_limits>& schema) {
  const auto window = converted<uint32_t>(as_size(65'535, limits::http::h2_window_bytes_max));
  schema
      .key("h2_streams", &http_limits::h2_streams, converted<uint32_t>(as_count(1, 10'000)),
           "at once per connection")
      .key("h2_window", &http_limits::h2_window,
           converted<uint32_t>(as_size(1, limits::http::h2_window_bytes_max)),
           "content that a stream may send ahead")
      .key("h2_connection_window", &http_limits::h2_connection_window, window,
           "the same for all streams together")
      .key("h2_settings_timeout", &http_limits::h2_settings_timeout, as_deadline(),
           "until preface and acknowledged SETTINGS");
}

void check_limits(const config_value& table, http_limits& out, config_report& report) {
  if (out.max_target >= out.max_header_bytes)
    report.add(written(table, "max_target").at, "expected max_target below max_header_bytes");
}

/// Addresses are taken once (port 0 is a fresh one each time).
void check_addresses(const config_value& table, const http_config& out, config_report& report) {
  std::set<host_port> addresses;
  const auto check = [&](const char* key, const std::vector<host_port>& list) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].port != 0 && !addresses.insert(list[i]).second)
        report.add((*table.find(key)->as_array())[i].at,
                   "found the address " + toml_quoted(to_string(list[i])) + " twice");
  };
  check("listen", out.listen);
  check("listen_tls", out.listen_tls);
  if (const auto* list = table.find("listen");
      list && list->as_array() && list->as_array()->empty() && out.listen_tls.empty())
    report.add(list->at, "found nothing, expected at least one address in \"listen\"");
}

/// Who listens for TLS has a certificate.
void check_certificates(const config_value& table, const http_config& out, config_report& report) {
  const auto* tls = table.find("tls");
  if (!was_read(table, "site", out.site.size()) ||
      (tls && !was_read(*tls, "cert", out.tls.cert.size())))
    return;
  const auto has_one = !out.tls.cert.empty() ||
                       std::any_of(out.site.begin(), out.site.end(),
                                   [](const http_site& site) { return !site.tls.cert.empty(); });
  if (!out.listen_tls.empty() && !has_one)
    report.add(written(table, "listen_tls").at,
               "expected \"cert\" and \"key\" in [http.tls] or in a site beside listen_tls");
}

/// Hosts are taken once, addresses too.
void check_http(const config_value& table, http_config& out, config_report& report) {
  check_addresses(table, out, report);
  check_certificates(table, out, report);
  check_upstreams(table, out, report);
  std::set<std::string> hosts;
  for (size_t i = 0; i < out.site.size(); ++i)
    for (const auto& host : out.site[i].host)
      if (!hosts.insert(host).second)
        report.add(written((*table.find("site")->as_array())[i], "host").at,
                   "the host " + toml_quoted(host) + " already has a site");
  resolve_limits(out);
}

/// "-", empty, or a file.
config_rule<std::string> access_log_rule() {
  return {"path",
          [path = as_path()](const config_value& value, std::string& out, config_report& report) {
            std::filesystem::path file;
            if (!path.read(value, file, report))
              return false;
            out = *value.as<std::string>() == "-" ? "-" : file.string();
            return true;
          },
          [](const std::string& value) { return toml_quoted(value); }};
}

config_rule<address_block> address_block_rule() {
  return {"address block",
          [](const config_value& value, address_block& out, config_report& report) {
            const auto* text = value.as<std::string>();
            const auto block = text ? parse_address_block(*text) : std::nullopt;
            if (!block)
              return expected_other(
                  value, "an address block such as \"10.0.0.0/8\", without bits behind its length",
                  report);
            out = *block;
            return true;
          },
          [](const address_block& block) { return toml_quoted(block.text); }};
}

config_rule<unknown_host> unknown_host_rule() {
  auto rule = as_choice<unknown_host>({{"close", unknown_host::close}});
  rule.type = "421, 404 or \"close\"";
  rule.read = [](const config_value& value, unknown_host& out, config_report& report) {
    if (const auto* status = value.as<int64_t>(); status && (*status == 421 || *status == 404))
      out = *status == 421 ? unknown_host::misdirected : unknown_host::not_found;
    else if (const auto* text = value.as<std::string>(); text && *text == "close")
      out = unknown_host::close;
    else
      return expected_other(value, "421, 404 or \"close\"", report);
    return true;
  };
  rule.format = [](const unknown_host& value) {
    switch (value) {
      case unknown_host::misdirected: return std::string{"421"};
      case unknown_host::not_found: return std::string{"404"};
      case unknown_host::close: return std::string{"\"close\""};
    }
    return std::string{};
  };
  return rule;
}

} // namespace

void resolve_limits(http_config& config) {
  for (auto& site : config.site)
    for (auto& route : site.route) {
      auto max_body = config.limits.max_body;
      if (route.kind == route_kind::actor)
        max_body = std::min(max_body, limits::http::body_bytes_actor);
      if (route.kind == route_kind::eval)
        max_body = eval_body_bytes;
      route.max_body = route.own_max_body.value_or(max_body);
      route.timeout = route.own_timeout.value_or(config.limits.timeout);
    }
}

config_rule<http_limits> http_limits_rule() {
  config_schema<http_limits> schema{"http.limits"};
  add_input_limits(schema);
  add_timeouts(schema);
  add_http2(schema);
  schema.check(check_limits);
  return as_table(std::move(schema));
}

config_rule<http_config> http_config_rule() {
  const auto format = as_choice<access_format>(
      {{"combined", access_format::combined}, {"json", access_format::json}});
  config_schema<http_config> schema{"http"};
  schema
      .key("listen", &http_config::listen, as_list(as_listen_address()),
           "each loop binds each with SO_REUSEPORT")
      .key("listen_tls", &http_config::listen_tls, as_list(as_listen_address()),
           "the same for TLS; needs a certificate")
      .key("loops", &http_config::loops, as_count(1, limits::loop::threads_max), "loop threads")
      .key("pin", &http_config::pin, as_boolean(), "loop i on the i-th allowed core")
      .key("backlog", &http_config::backlog, converted<int>(as_integer(1, 65'535)),
           "accept queue, capped by net.core.somaxconn")
      .key("http2", &http_config::http2, as_boolean(), "HTTP/2 by ALPN")
      .key("h2c", &http_config::h2c, as_boolean(), "HTTP/2 on cleartext by prior knowledge")
      .key("server", &http_config::server,
           as_matching("string", "a field value without control bytes", is_field_value),
           "the field Server; empty omits it")
      .key("unknown_host", &http_config::unknown_host, unknown_host_rule(),
           "what a request gets whose host has no site")
      .key("trusted_proxies", &http_config::trusted_proxies, as_list(address_block_rule()),
           "peers whose X-Forwarded-For, Forwarded and X-Request-Id are believed")
      .key("access_log", &http_config::access_log, access_log_rule(),
           "a file, \"-\" for stderr, empty for none")
      .key("access_format", &http_config::access_format, format, "how its lines look")
      .key("test_hooks", &http_config::test_hooks, as_boolean(),
           "/test/echo and /test/block on every site, before its routes")
      .key("tls", &http_config::tls, http_tls_rule(), "certificates and policy")
      .key("cache", &http_config::cache, http_cache_rule(), "stored responses")
      .key("limits", &http_config::limits, http_limits_rule(), "bounds of input and time")
      .key("upstream", &http_config::upstream, as_list(http_upstream_rule()),
           "servers behind proxies")
      .key("site", &http_config::site, http_sites_rule(), "what is served")
      .refused("route", why_no_route)
      .check(check_http);
  return as_table(std::move(schema));
}

} // namespace caf_app::http
