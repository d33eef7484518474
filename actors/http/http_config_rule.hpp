// Rules for the strings of [http]: paths, field values, redirect targets, response fields. Shared
// by routes and sites.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "actors/http/field.hpp"
#include "actors/http/http_config.hpp"
#include "caf_app/base/config_schema.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app::http {

/// Of whatever is configured in bytes.
inline constexpr uint64_t size_max = 1024 * 1024 * limits::mib;

/// A path as the router sees those of requests: unreserved letters plain, the rest as %XX in upper
/// case, no dot segments.
bool is_normal_path(std::string_view path);

/// A path or an http(s) URI whose only placeholders are `${path}` and `${query}`.
bool is_redirect_target(std::string_view to);

/// A string that `good` accepts. @param wanted what complaints expect
config_rule<std::string> as_matching(std::string type, std::string wanted,
                                     std::function<bool(std::string_view)> good);

/// A number of 0 to 1.
config_rule<double> as_share();

/// Response fields that an operator may set: not those that frame the message.
config_rule<header_list> as_response_fields();

/// A file name; a relative one starts at the folder of the configuration file.
config_rule<std::string> as_file();

/// What [http.tls] says of client certificates, and each site for itself.
config_rule<client_auth> as_client_auth();

/// Complains unless every certificate has its key. @param table where `cert` and `key` are written
void check_key_pairs(const config_value& table, const std::vector<std::string>& cert,
                     const std::vector<std::string>& key, config_report& report);

/// `rate_limit` and those beside it, and what belongs together in them.
void add_rate_keys(config_schema<http_route>& schema);
void check_rate(const config_value& table, http_route& out, config_report& report);

/// The key `files` and those beside it.
void add_file_keys(config_schema<http_route>& schema);
void check_files(const config_value& table, const http_route& out, config_report& report);

/// The key `fastcgi` and those beside it.
void add_fastcgi_keys(config_schema<http_route>& schema);
void check_fastcgi(const config_value& table, http_route& out, config_report& report);

/// The path of a directory; a relative one starts at the folder of the configuration file.
config_rule<std::string> as_root();

/// Names with slashes between them, none of them "." or "..".
bool is_relative_name(std::string_view path);

/// The key `proxy` and those beside it.
void add_proxy_keys(config_schema<http_route>& schema);

/// Complains about upstreams that are there twice, or not at all. @param table [http]
void check_upstreams(const config_value& table, const http_config& config, config_report& report);

/// The rule for [[http.site]].
config_rule<http_site> http_site_rule();

/// The rule for all of them.
config_rule<std::vector<http_site>> http_sites_rule();

/// What is to say about a key `route` in the table [http]: it names the sites.
std::string why_no_route(const config_value& http);

/// @returns the value of `key` in `table` if it is there, else the table: where to complain
const config_value& written(const config_value& table, const std::string& key);

/// @returns whether all of the list `key` could be read, as `count` values; else it has been
/// complained about, and what refers to it cannot be judged
bool was_read(const config_value& table, const std::string& key, size_t count);

} // namespace caf_app::http
