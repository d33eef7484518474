// [[http.upstream]], and the keys beside `proxy`.
#include <algorithm>

#include "actors/http/http_config_rule.hpp"
#include "actors/http/upstream_limits.hpp"

namespace caf_app::http {

namespace {

using namespace std::chrono_literals;

constexpr size_t count_max = 1'000'000;

constexpr std::pair<std::string_view, upstream_scheme> schemes[]{
    {"http://", upstream_scheme::http},
    {"https://", upstream_scheme::https},
    {"fcgi://", upstream_scheme::fcgi}};

/// "http://h:p", "https://h:p", "fcgi://h:p" or "unix:/path"; what the last one speaks follows from
/// its use.
bool parse_server(std::string_view text, upstream_server& out) {
  constexpr std::string_view unix_prefix = "unix:/";
  constexpr size_t unix_path_max = 107; // sockaddr_un
  if (text.starts_with(unix_prefix)) {
    out.address = text;
    return text.size() > unix_prefix.size() &&
           text.size() - unix_prefix.size() + 1 <= unix_path_max;
  }
  for (const auto& [prefix, scheme] : schemes)
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      if (text.ends_with('/'))
        text.remove_suffix(1);
      const auto place = parse_host_port(text);
      out.scheme = scheme;
      out.address = text;
      return place && place->port != 0;
    }
  return false;
}

std::string written_form(const upstream_server& server) {
  if (server.is_unix())
    return server.address;
  for (const auto& [prefix, scheme] : schemes)
    if (scheme == server.scheme)
      return std::string{prefix} + server.address;
  return server.address;
}

config_rule<upstream_server> server_rule() {
  constexpr auto wanted = "\"http://host:port\", \"https://host:port\", \"fcgi://host:port\", "
                          "\"unix:/path\" or {address, weight, backup}";
  config_schema<upstream_server> schema{"http.upstream.servers"};
  const config_rule<upstream_server> address{
      "server",
      [=](const config_value& value, upstream_server& out, config_report& report) {
        const auto* text = value.as<std::string>();
        return text && parse_server(*text, out) ? true : expected_other(value, wanted, report);
      },
      [](const upstream_server& server) { return toml_quoted(written_form(server)); }};
  const auto same = [](upstream_server& server) -> upstream_server& { return server; };
  schema.key("address", same, address, "where it is", config_presence::required)
      .key("weight", &upstream_server::weight, converted<uint32_t>(as_integer(1, 1000)),
           "its share, among those of the others")
      .key("backup", &upstream_server::backup, as_boolean(), "only if no other can be used");
  auto table = as_table(std::move(schema));
  return {"server",
          [=](const config_value& value, upstream_server& out, config_report& report) {
            return value.as_table() ? table.read(value, out, report)
                                    : address.read(value, out, report);
          },
          address.format};
}

/// A deadline on the timer wheel.
config_rule<std::chrono::milliseconds> as_deadline() {
  return as_duration(limits::loop::tick, limits::http::timeout_max);
}

config_rule<upstream_health> health_rule() {
  config_schema<upstream_health> schema{"http.upstream.health"};
  const auto is_target = [](std::string_view text) {
    return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) {
             return c > ' ' && c < 0x7f && c != '#';
           });
  };
  schema
      .key("path", &upstream_health::path,
           as_matching("path", "a path that starts with \"/\"", is_target),
           "what is asked for; 2xx and 3xx are good", config_presence::required)
      .key("period", &upstream_health::period, as_deadline(), "between two checks")
      .key("timeout", &upstream_health::timeout, as_deadline(), "of one; then it is bad")
      .key("rise", &upstream_health::rise, as_count(1, 1000), "good ones until a server is used")
      .key("fall", &upstream_health::fall, as_count(1, 1000), "bad ones until it is not");
  return as_table(std::move(schema));
}

void add_use(config_schema<http_upstream>& schema) {
  schema
      .key("balance", &http_upstream::balance,
           as_choice<balance_kind>({{"least_conn", balance_kind::least_conn},
                                    {"round_robin", balance_kind::round_robin},
                                    {"hash:ip", balance_kind::hash_ip},
                                    {"hash:path", balance_kind::hash_path}}),
           "who is next")
      .key("max_conns", &http_upstream::max_conns, as_count(1, count_max), "per server and loop")
      .key("queue", &http_upstream::queue, as_count(0, count_max), "waiters per loop; beyond: 503")
      .key("keepalive", &http_upstream::keepalive, as_count(0, count_max),
           "idle connections per server and loop")
      .key("retries", &http_upstream::retries, as_count(0, 100), "further tries of a request")
      .key("retry_budget", &http_upstream::retry_budget, as_share(),
           "further tries as a share of the requests of ten seconds; 0: none")
      .key("eject_fails", &http_upstream::eject_fails, as_count(0, count_max),
           "failures until a server is out; 0: never")
      .key("eject_max", &http_upstream::eject_max, as_share(),
           "share of the servers that may be out");
}

void add_times(config_schema<http_upstream>& schema) {
  const auto deadline = as_deadline();
  schema.key("queue_timeout", &http_upstream::queue_timeout, deadline, "of a waiter; then 503")
      .key("keepalive_idle", &http_upstream::keepalive_idle, deadline, "of an idle connection")
      .key("max_age", &http_upstream::max_age, deadline, "of a connection")
      .key("connect_timeout", &http_upstream::connect_timeout, deadline, "then the next server")
      .key("first_byte_timeout", &http_upstream::first_byte_timeout, deadline,
           "request sent until response head; then 504")
      .key("read_timeout", &http_upstream::read_timeout, deadline,
           "between bytes of a response, or of a request that is not taken")
      .key("eject_window", &http_upstream::eject_window, deadline, "in which failures count")
      .key("eject_time", &http_upstream::eject_time, deadline, "out of use")
      .key("slow_start", &http_upstream::slow_start, as_duration(0ms, 1h),
           "linear ramp after recovery");
}

void check_upstream(const config_value& table, http_upstream& out, config_report& report) {
  if (table.find("servers") && out.servers.empty() && was_read(table, "servers", 0))
    expected_other(written(table, "servers"), "at least one server", report);
  if (!out.servers.empty() &&
      std::all_of(out.servers.begin(), out.servers.end(),
                  [](const upstream_server& server) { return server.backup; }))
    report.add(written(table, "servers").at, "expected at least one server that is no backup");
  const auto has = [&](upstream_scheme scheme) {
    return std::any_of(out.servers.begin(), out.servers.end(),
                       [&](const auto& server) { return server.scheme == scheme; });
  };
  for (const auto* key : {"verify", "ca", "sni"})
    if (table.find(key) && !out.servers.empty() && !has(upstream_scheme::https))
      report.add(written(table, key).at,
                 "found \"" + std::string{key} + "\", expected a server \"https://...\" beside it");
  if (!out.status_path.empty() &&
      std::any_of(out.servers.begin(), out.servers.end(), [](const upstream_server& server) {
        return !server.is_unix() && server.scheme != upstream_scheme::fcgi;
      }))
    report.add(written(table, "status_path").at,
               "found \"status_path\", expected servers \"fcgi://...\" or \"unix:...\" beside it");
  if (table.find("health") && has(upstream_scheme::fcgi))
    report.add(written(table, "health").at,
               "found \"health\", expected servers that speak HTTP beside it");
}

/// A route and its upstream speak the same protocol; what is at a Unix socket, nobody knows.
void check_use(const http_config& config, const http_route& route, const config_value& table,
               config_report& report) {
  const auto scripts = route.kind == route_kind::fastcgi;
  if (route.kind != route_kind::proxy && !scripts)
    return;
  const auto at = written(table, scripts ? "fastcgi" : "proxy").at;
  const auto& name = scripts ? route.fastcgi.upstream : route.proxy.upstream;
  const auto* upstream = find_upstream(config, name);
  if (!upstream) {
    std::vector<std::string> known;
    for (const auto& each : config.upstream)
      known.push_back(each.name);
    report.add(at, "there is no [[http.upstream]] " + toml_quoted(name) +
                       unknown_key_hint(name, known));
  } else if (std::any_of(upstream->servers.begin(), upstream->servers.end(), [&](const auto& x) {
               return !x.is_unix() && (x.scheme == upstream_scheme::fcgi) != scripts;
             })) {
    report.add(at, "the upstream " + toml_quoted(upstream->name) +
                       (scripts ? " has servers that speak HTTP, expected \"fcgi://...\""
                                : " has servers \"fcgi://...\", expected \"http://...\" or "
                                  "\"https://...\""));
  }
}

} // namespace

config_rule<http_upstream> http_upstream_rule() {
  config_schema<http_upstream> schema{"[http.upstream]"};
  schema
      .key("name", &http_upstream::name, as_name(), "what routes call it",
           config_presence::required)
      .key("servers", &http_upstream::servers, as_list(server_rule()), "where requests go",
           config_presence::required);
  add_use(schema);
  add_times(schema);
  schema
      .key("health", &http_upstream::health, as_optional(health_rule()),
           "active checks {path, period, timeout, rise, fall}; off unless written")
      .key("status_path", &http_upstream::status_path,
           as_matching("path", "a path that starts with \"/\", or nothing",
                       [](std::string_view path) {
                         return path.empty() || (path.starts_with('/') && is_field_value(path));
                       }),
           "pm.status_path of PHP-FPM, asked once per second for the scaler; off unless written")
      .key("verify", &http_upstream::verify, as_boolean(), "TLS: certificates of servers")
      .key("ca", &http_upstream::ca, as_file(),
           "TLS: who may issue them (PEM); those of the system unless written")
      .key("sni", &http_upstream::sni,
           as_matching("host", "a host name", [](std::string_view name) { return is_token(name); }),
           "TLS: name of the servers; their hosts unless written")
      .check(check_upstream);
  return as_table(std::move(schema));
}

void add_proxy_keys(config_schema<http_route>& schema) {
  const auto option = [](bool proxy_options::*member) {
    return [member](http_route& route) -> bool& { return route.proxy.*member; };
  };
  schema
      .key(
          "proxy", [](http_route& route) -> std::string& { return route.proxy.upstream; },
          as_name(), "kind: the servers of this [[http.upstream]]")
      .key("strip_prefix", option(&proxy_options::strip_prefix), as_boolean(),
           "proxy: the upstream sees what is below the route")
      .key("preserve_host", option(&proxy_options::preserve_host), as_boolean(),
           "proxy: Host is the client's, else the server's")
      .key("websocket", option(&proxy_options::websocket), as_boolean(),
           "proxy: requests may become tunnels")
      .key("underscores", option(&proxy_options::underscores), as_boolean(),
           "proxy: fields with \"_\" in their names pass");
}

void check_upstreams(const config_value& table, const http_config& config, config_report& report) {
  if (!was_read(table, "upstream", config.upstream.size()))
    return;
  for (size_t i = 0; i < config.upstream.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (config.upstream[i].name == config.upstream[j].name)
        report.add(written((*table.find("upstream")->as_array())[i], "name").at,
                   "found the upstream " + toml_quoted(config.upstream[i].name) + " twice");
  for (size_t i = 0; i < config.site.size(); ++i)
    for (size_t j = 0; j < config.site[i].route.size(); ++j) {
      const auto& site = (*table.find("site")->as_array())[i];
      check_use(config, config.site[i].route[j], (*site.find("route")->as_array())[j], report);
    }
}

const http_upstream* find_upstream(const http_config& config, std::string_view name) {
  for (const auto& each : config.upstream)
    if (each.name == name)
      return &each;
  return nullptr;
}

} // namespace caf_app::http
