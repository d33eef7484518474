// The keys beside `fastcgi`.
#include <algorithm>

#include "actors/http/fastcgi_params.hpp"
#include "actors/http/http_config_rule.hpp"

namespace caf_app::http {

namespace {

bool is_extension(std::string_view text) {
  return text.size() > 1 && text.front() == '.' && text.find('/') == text.npos;
}

bool is_variable(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

using pairs = std::vector<std::pair<std::string, std::string>>;

config_rule<pairs> params_rule() {
  auto rule = as_string_map();
  rule.read = [map = rule.read](const config_value& value, pairs& out, config_report& report) {
    pairs read;
    if (!map(value, read, report))
      return false;
    for (const auto& member : *value.as_table()) {
      if (is_variable(member.key) && is_free_param(member.key))
        continue;
      report.add(member.at,
                 is_variable(member.key)
                     ? "the parameter " + toml_quoted(member.key) + " is set by the server"
                     : "found " + toml_quoted(member.key) +
                           ", expected letters, digits and \"_\", such as \"APP_ENV\"");
      return false;
    }
    out = std::move(read);
    return true;
  };
  return rule;
}

config_rule<std::string> front_rule() {
  return as_matching("string", "a name below the root, or nothing", [](std::string_view name) {
    return name.empty() || (!name.starts_with('/') && is_relative_name(name));
  });
}

} // namespace

void add_fastcgi_keys(config_schema<http_route>& schema) {
  schema
      .key(
          "fastcgi", [](http_route& route) -> std::string& { return route.fastcgi.upstream; },
          as_name(), "kind: scripts, run by the servers of this upstream")
      .key(
          "root", [](http_route& route) -> std::string& { return route.fastcgi.root; }, as_root(),
          "fastcgi: where the scripts are, as the servers see it too")
      .key(
          "extensions",
          [](http_route& route) -> std::vector<std::string>& { return route.fastcgi.extensions; },
          as_list(as_matching("string", "the end of a file name, such as \".php\"", is_extension)),
          "fastcgi: files that are scripts")
      .key(
          "front", [](http_route& route) -> std::string& { return route.fastcgi.front; },
          front_rule(), "fastcgi: the script for paths that are no file")
      .key(
          "params", [](http_route& route) -> pairs& { return route.fastcgi.params; }, params_rule(),
          "fastcgi: further parameters");
}

void check_fastcgi(const config_value& table, http_route& out, config_report& report) {
  if (out.kind != route_kind::fastcgi)
    return;
  if (const auto* index = table.find("index"); index && !index->as<std::string>())
    expected_other(*index, "one name, such as \"index.php\"", report);
  else if (index)
    out.fastcgi.index = *index->as<std::string>();
  if (!table.find("root"))
    report.add(table.at, "key \"root\" is missing beside \"fastcgi\", expected a directory");
  if (table.find("extensions") && was_read(table, "extensions", 0))
    expected_other(written(table, "extensions"), "at least one extension", report);
  if (out.match == route_match::exact)
    report.add(written(table, "match").at,
               "found an exact match beside \"fastcgi\", expected \"prefix\"");
}

} // namespace caf_app::http
