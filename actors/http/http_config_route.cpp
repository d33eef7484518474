#include "actors/http/http_config.hpp"

#include <algorithm>
#include <map>

#include "actors/http/http_config_rule.hpp"
#include "caf_app/base/config_schema.hpp"

namespace caf_app::http {

namespace {

using namespace std::chrono_literals;

const std::vector<std::string> all_methods{"DELETE", "GET",  "HEAD", "OPTIONS",
                                           "PATCH",  "POST", "PUT"};

/// What is special about a kind. A new kind is a row here, keys in route_schema() and an
/// enumerator.
struct kind_row {
  route_kind kind;
  std::string_view key;
  std::vector<std::string> options; // keys beside it that only this kind has
  std::vector<std::string> methods; // by default; empty: any
};

const std::vector<kind_row>& kind_rows() {
  static const std::vector<kind_row> rows{
      {route_kind::respond, "respond", {}, {"GET", "HEAD"}},
      {route_kind::files,
       "files",
       {"index", "listing", "dotfiles", "symlinks", "precompressed", "max_age", "fallback",
        "types"},
       {"GET", "HEAD"}},
      {route_kind::actor, "actor", {"face", "cache"}, all_methods},
      {route_kind::redirect, "redirect", {}, {}},
      {route_kind::eval, "eval", {}, all_methods},
      {route_kind::proxy,
       "proxy",
       {"strip_prefix", "preserve_host", "websocket", "underscores", "cache"},
       all_methods},
      {route_kind::fastcgi,
       "fastcgi",
       {"root", "extensions", "index", "front", "params", "cache"},
       all_methods},
  };
  return rows;
}

config_rule<respond_options> respond_rule() {
  config_schema<respond_options> schema{"http.site.route.respond"};
  schema
      .key("status", &respond_options::status, converted<uint16_t>(as_integer(200, 599)), "status")
      .key("type", &respond_options::type,
           as_matching("string", "a media type without control bytes", is_field_value),
           "the field Content-Type; empty omits it")
      .key("body", &respond_options::body, as_text(), "the content")
      .key("headers", &respond_options::headers, as_response_fields(), "response fields")
      .check([](const config_value& table, respond_options& out, config_report& report) {
        if ((out.status == 204 || out.status == 205 || out.status == 304) && !out.body.empty())
          report.add(written(table, "body").at,
                     "expected no body with status " + std::to_string(out.status));
      });
  return as_table(std::move(schema));
}

config_rule<uint16_t> redirect_status_rule() {
  config_rule<uint16_t> rule = converted<uint16_t>(as_integer(301, 308));
  rule.read = [](const config_value& value, uint16_t& out, config_report& report) {
    const auto* status = value.as<int64_t>();
    if (!status ||
        (*status != 301 && *status != 302 && *status != 303 && *status != 307 && *status != 308))
      return expected_other(value, "301, 302, 303, 307 or 308", report);
    out = static_cast<uint16_t>(*status);
    return true;
  };
  return rule;
}

config_rule<redirect_options> redirect_rule() {
  config_schema<redirect_options> schema{"http.site.route.redirect"};
  schema
      .key(
          "to", &redirect_options::to,
          as_matching("string",
                      "a path or http(s) URI, with no other placeholders than ${path} and ${query}",
                      is_redirect_target),
          "the field Location; ${path} and ${query} are those of the request",
          config_presence::required)
      .key("status", &redirect_options::status, redirect_status_rule(), "status");
  return as_table(std::move(schema));
}

config_rule<std::vector<std::string>> methods_rule() {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const auto& method : all_methods)
    choices.emplace_back(method, method);
  auto rule = as_list(as_choice<std::string>(std::move(choices)));
  rule.type = "list of methods";
  rule.read = [list = rule.read](const config_value& value, std::vector<std::string>& out,
                                 config_report& report) {
    if (const auto* elements = value.as_array(); elements && elements->empty())
      return expected_other(value, "at least one method", report);
    return list(value, out, report);
  };
  return rule;
}

/// A key that is there or not.
config_rule<bool> true_rule() {
  auto rule = as_boolean();
  rule.read = [](const config_value& value, bool& out, config_report& report) {
    const auto* flag = value.as<bool>();
    if (!flag || !*flag)
      return expected_other(value, "true", report);
    out = true;
    return true;
  };
  return rule;
}

/// Finds the one kind that is written. @returns nullptr after a complaint
const kind_row* find_kind(const config_value& table, config_report& report) {
  const kind_row* found = nullptr;
  std::vector<std::string> keys;
  for (const auto& row : kind_rows()) {
    keys.push_back(toml_quoted(row.key));
    const auto* value = table.find(row.key);
    if (value && found) {
      report.add(value->at, "found \"" + std::string{row.key} + "\" beside \"" +
                                std::string{found->key} + "\", expected one kind per route");
      return nullptr;
    }
    if (value)
      found = &row;
  }
  if (!found)
    report.add(table.at, "found a route without a kind, expected " + alternatives(keys));
  return found;
}

void refuse_foreign_options(const config_value& table, const kind_row& mine,
                            config_report& report) {
  std::map<std::string, std::vector<std::string>> owners; // kinds may share a key
  for (const auto& row : kind_rows())
    for (const auto& option : row.options)
      owners[option].push_back(toml_quoted(row.key));
  for (const auto& option : mine.options)
    owners.erase(option);
  for (const auto& [option, kinds] : owners)
    if (const auto* value = table.find(option))
      report.add(value->at, "found \"" + option + "\", which belongs to " + alternatives(kinds) +
                                ", in a route with \"" + std::string{mine.key} + "\"");
}

/// RFC 9110 §9.1: who has GET has HEAD.
void complete_methods(std::vector<std::string>& methods) {
  if (std::find(methods.begin(), methods.end(), "GET") != methods.end())
    methods.push_back("HEAD");
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
}

void check_route(const config_value& table, http_route& out, config_report& report) {
  const auto* row = find_kind(table, report);
  if (!row)
    return;
  out.kind = row->kind;
  refuse_foreign_options(table, *row, report);
  if (!table.find("methods"))
    out.methods = row->methods;
  complete_methods(out.methods);
  if (out.name.empty())
    out.name = out.path;
  check_rate(table, out, report);
  out.paths.slashes = out.own_merge_slashes.value_or(out.kind == route_kind::files) ? slashes::merge
                                                                                    : slashes::keep;
  check_files(table, out, report);
  check_fastcgi(table, out, report);
}

} // namespace

std::string to_string(route_kind kind) {
  for (const auto& row : kind_rows())
    if (row.kind == kind)
      return std::string{row.key};
  return "";
}

config_rule<http_route> http_route_rule() {
  config_schema<http_route> schema{"[http.site.route]"};
  add_file_keys(schema);
  add_fastcgi_keys(schema);
  add_rate_keys(schema);
  add_proxy_keys(schema);
  schema
      .key("path", &http_route::path,
           as_matching("path", "a path that starts with \"/\", without dot segments and query",
                       is_normal_path),
           "the longest match on segment borders wins", config_presence::required)
      .key("match", &http_route::match,
           as_choice<route_match>({{"prefix", route_match::prefix}, {"exact", route_match::exact}}),
           "whether paths below it match too")
      .key("name", &http_route::name, as_text(), "metric label; the path unless written")
      .key("methods", &http_route::methods, methods_rule(),
           "by kind: respond, files GET; redirect any; others all")
      .key("timeout", &http_route::own_timeout,
           as_optional(as_duration(limits::loop::tick, limits::http::timeout_max)),
           "request read until response head; of [http.limits] unless written")
      .key("max_body", &http_route::own_max_body,
           as_optional(as_size(0, 1024 * 1024 * limits::mib)),
           "of [http.limits] unless written; for actor routes at most 1MiB then")
      .key("headers", &http_route::headers, as_response_fields(),
           "response fields set unless the handler did")
      .key("compress", &http_route::compress, as_boolean(), "on-the-fly coding")
      .key("merge_slashes", &http_route::own_merge_slashes, as_optional(as_boolean()),
           "\"//\" is \"/\"; true for files, else false, unless written")
      .key(
          "encoded_slash",
          [](http_route& route) -> encoded_slash& { return route.paths.encoded_slash; },
          as_choice<encoded_slash>(
              {{"reject", encoded_slash::reject}, {"keep", encoded_slash::keep}}),
          "what %2F in a path is: bad, or passed on as it is")
      .key("on_half_close", &http_route::on_half_close,
           as_choice<half_close>({{"probe", half_close::probe},
                                  {"serve", half_close::serve},
                                  {"cancel", half_close::cancel}}),
           "what the end of a client's input means after a whole request")
      .key("respond", &http_route::respond, respond_rule(), "kind: a fixed answer")
      .key(
          "actor", [](http_route& route) -> std::string& { return route.actor.name; },
          as_matching("name", "the name of an actor",
                      [](std::string_view name) {
                        return !name.empty() && name.size() <= limits::registry::name_bytes_max &&
                               is_field_value(name);
                      }),
          "kind: a named actor anywhere in the cluster")
      .key(
          "face", [](http_route& route) -> actor_face& { return route.actor.face; },
          as_choice<actor_face>({{"json", actor_face::json}, {"http", actor_face::http}}),
          "actor: which messages it gets")
      .key("cache", &http_route::cache, as_boolean(),
           "proxy, fastcgi, actor: answers may be stored; see [http.cache]")
      .key("redirect", &http_route::redirect, redirect_rule(), "kind: another place")
      .key("eval", &http_route::eval, true_rule(), "kind: the API of the evaluator; true")
      .refused("site",
               [](const config_value&) {
                 return std::string{"found \"site\" in a route, expected the route below the "
                                    "[[http.site]] that it belongs to"};
               })
      .check(check_route);
  return as_table(std::move(schema));
}

} // namespace caf_app::http
