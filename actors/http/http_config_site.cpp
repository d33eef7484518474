// [[http.site]]: its hosts, and what its routes may not do to each other.
#include "actors/http/http_config_rule.hpp"

#include <algorithm>
#include <map>

#include "caf_app/base/config_schema.hpp"

namespace caf_app::http {

namespace {

/// Host as the router compares it: lower case, without the dot at the end; empty if it is none.
std::string normal_host(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (text.ends_with('.'))
    text.pop_back();
  if (text == "*")
    return text;
  const bool wildcard = text.starts_with("*.");
  const auto host = parse_host_port((wildcard ? text.substr(2) : text) + ":0");
  if (!host || (wildcard && host->kind != host_kind::name))
    return {};
  return text;
}

config_rule<std::string> host_rule() {
  return {"host",
          [](const config_value& value, std::string& out, config_report& report) {
            const auto* text = value.as<std::string>();
            auto host = text ? normal_host(*text) : std::string{};
            if (host.empty())
              return expected_other(
                  value, "a host without port such as \"example.org\", \"*.example.org\" or \"*\"",
                  report);
            out = std::move(host);
            return true;
          },
          [](const std::string& host) { return toml_quoted(host); }};
}

/// Two routes that a request could not choose between.
bool overlap(const http_route& x, const http_route& y) {
  if (x.path != y.path || x.match != y.match)
    return false;
  if (x.methods.empty() || y.methods.empty())
    return true;
  return std::find_first_of(x.methods.begin(), x.methods.end(), y.methods.begin(),
                            y.methods.end()) != x.methods.end();
}

void check_site(const config_value& table, http_site& out, config_report& report) {
  check_key_pairs(table, out.tls.cert, out.tls.key, report);
  const auto* host = table.find("host");
  if (const auto* list = host ? host->as_array() : nullptr; list && list->empty())
    expected_other(*host, "at least one host", report);
  std::map<std::string, std::vector<const http_route*>> by_path;
  for (size_t i = 0; i < out.route.size(); ++i) {
    const auto& route = out.route[i];
    auto& others = by_path[route.path];
    if (std::any_of(others.begin(), others.end(), [&](auto* x) { return overlap(*x, route); })) {
      const auto& routes = *table.find("route")->as_array();
      report.add(written(routes[i], "path").at,
                 "the path " + toml_quoted(route.path) +
                     " already has a route with the same methods and match");
    }
    others.push_back(&route);
  }
}

} // namespace

namespace {

/// The keys of TLS stand among those of the site.
template <class V>
auto tls_key(V http_site_tls::*member) {
  return [member](http_site& site) -> V& { return site.tls.*member; };
}

} // namespace

config_rule<std::vector<http_site>> http_sites_rule() {
  auto rule = as_list(http_site_rule());
  rule.read = [list = rule.read](const config_value& value, std::vector<http_site>& out,
                                 config_report& report) {
    if (!value.as_table())
      return list(value, out, report);
    report.add(value.at, "found one table, expected [[http.site]] with \"host\" for each site, and "
                         "below it [[http.site.route]] for each of its routes");
    return false;
  };
  return rule;
}

std::string why_no_route(const config_value& http) {
  std::vector<std::string> hosts;
  const auto add = [&](const config_value& host) {
    if (const auto* name = host.as<std::string>())
      hosts.push_back(toml_quoted(*name));
  };
  const auto* sites = http.find("site");
  const config_value::array none;
  for (const auto& site : sites && sites->as_array() ? *sites->as_array() : none) {
    const auto* host = site.find("host");
    if (host && host->as_array())
      std::for_each(host->as_array()->begin(), host->as_array()->end(), add);
    else if (host)
      add(*host);
  }
  return "found a route without a site, expected [[http.site.route]] below the [[http.site]] that "
         "it belongs to, " +
         (hosts.empty() ? "of which the file has none" : "of " + alternatives(hosts));
}

config_rule<http_site> http_site_rule() {
  config_schema<http_site> schema{"[http.site]"};
  schema
      .key("host", &http_site::host, as_one_or_list(host_rule()),
           "exact, \"*.example.org\" (one or more labels), or \"*\" (default site)",
           config_presence::required)
      .key("headers", &http_site::headers, as_response_fields(),
           "response fields set unless the handler did")
      .key("cert", tls_key(&http_site_tls::cert), as_one_or_list(as_file()),
           "certificates with chain (PEM); of [http.tls] unless written, like the next three")
      .key("key", tls_key(&http_site_tls::key), as_one_or_list(as_file()), "their keys (PEM)")
      .key("client_ca", tls_key(&http_site_tls::client_ca), as_file(),
           "who may issue client certificates (PEM)")
      .key("client_auth", tls_key(&http_site_tls::client_auth), as_optional(as_client_auth()),
           "whether clients show a certificate")
      .key("route", &http_site::route, as_list(http_route_rule()), "what answers")
      .check(check_site);
  return as_table(std::move(schema));
}

} // namespace caf_app::http
