// The options of `files` routes.
#include <algorithm>

#include "actors/http/http_config_rule.hpp"

namespace caf_app::http {

namespace {

using namespace std::chrono_literals;

/// A name in a directory, not a path.
bool is_file_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
         name.find('/') == name.npos && name.find('\0') == name.npos;
}

// A list of names; of a script route it is one name (http_config_fastcgi.cpp).
config_rule<std::vector<std::string>> index_rule() {
  auto rule = as_list(as_matching("string", "the name of a file", is_file_name));
  rule.read = [list = rule.read](const config_value& value, std::vector<std::string>& out,
                                 config_report& report) {
    const auto* name = value.as<std::string>();
    if (!name)
      return list(value, out, report);
    if (!name->empty() && !is_file_name(*name))
      return expected_other(value, "the name of a file", report);
    out = {*name};
    return true;
  };
  return rule;
}

config_rule<std::string> fallback_rule() {
  auto rule = as_matching("string", "a name below the root, or nothing", [](std::string_view name) {
    return name.empty() || is_relative_name(name);
  });
  rule.read = [read = rule.read](const config_value& value, std::string& out,
                                 config_report& report) {
    if (!read(value, out, report))
      return false;
    out.erase(0, std::min(out.find_first_not_of('/'), out.size()));
    return true;
  };
  return rule;
}

config_rule<std::vector<coding>> precompressed_rule() {
  auto rule = as_list(
      as_choice<coding>({{"br", coding::br}, {"zstd", coding::zstd}, {"gzip", coding::gzip}}));
  rule.read = [list = rule.read](const config_value& value, std::vector<coding>& out,
                                 config_report& report) {
    std::vector<coding> read;
    if (!list(value, read, report))
      return false;
    auto sorted = read;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return expected_other(value, "each coding once", report);
    out = std::move(read);
    return true;
  };
  return rule;
}

/// A duration in whole seconds, or nothing.
config_rule<std::optional<std::chrono::seconds>> max_age_rule() {
  using seconds = std::optional<std::chrono::seconds>;
  static constexpr auto longest = std::chrono::hours{24 * 365};
  return {as_duration(0ms, longest).type + " or \"\"",
          [](const config_value& value, seconds& out, config_report& report) {
            if (const auto* text = value.as<std::string>(); text && text->empty()) {
              out.reset();
              return true;
            }
            std::chrono::milliseconds read;
            if (!as_duration(0ms, longest).read(value, read, report))
              return false;
            if (read % 1s != 0ms)
              return expected_other(value, "whole seconds", report);
            out = std::chrono::duration_cast<std::chrono::seconds>(read);
            return true;
          },
          [](const seconds& value) {
            return toml_quoted(value ? std::to_string(value->count()) + "s" : "");
          }};
}

config_rule<dotfiles> dotfiles_rule() {
  return {"boolean",
          [](const config_value& value, dotfiles& out, config_report& report) {
            bool serve = false;
            if (!as_boolean().read(value, serve, report))
              return false;
            out = serve ? dotfiles::serve : dotfiles::hide;
            return true;
          },
          [](const dotfiles& value) {
            return std::string{value == dotfiles::serve ? "true" : "false"};
          }};
}

config_rule<mime_overrides> types_rule() {
  return {"table of strings",
          [map = as_string_map()](const config_value& value, mime_overrides& out,
                                  config_report& report) {
            std::vector<std::pair<std::string, std::string>> read;
            if (!map.read(value, read, report))
              return false;
            const auto before = report.size();
            mime_overrides result;
            for (const auto& member : *value.as_table()) {
              const auto& type = *member.value.as<std::string>();
              auto name = to_lower(member.key);
              if (name.starts_with('.'))
                name.erase(0, 1);
              if (name.empty() || name.find_first_of("./") != name.npos)
                report.add(member.at, "found " + toml_quoted(member.key) +
                                          ", expected the end of file names, such as \"wasm\"");
              if (!is_field_value(type) || type.find('/') == type.npos)
                expected_other(member.value, "a media type such as \"text/plain\"", report);
              result[name] = type;
            }
            if (report.size() != before)
              return false;
            out = std::move(result);
            return true;
          },
          [](const mime_overrides&) { return std::string{"{}"}; }};
}

} // namespace

bool is_relative_name(std::string_view path) {
  while (path.starts_with('/'))
    path.remove_prefix(1);
  if (path.empty())
    return false;
  for (;;) {
    const auto slash = path.find('/');
    if (!is_file_name(path.substr(0, slash)))
      return false;
    if (slash == path.npos)
      return true;
    path.remove_prefix(slash + 1);
  }
}

config_rule<std::string> as_root() {
  return {"path",
          [path = as_path()](const config_value& value, std::string& out, config_report& report) {
            std::filesystem::path root;
            if (!path.read(value, root, report))
              return false;
            if (root.empty())
              return expected_other(value, "the path of a directory", report);
            out = root.string();
            return true;
          },
          [](const std::string& value) { return toml_quoted(value); }};
}

void add_file_keys(config_schema<http_route>& schema) {
  schema
      .key(
          "files", [](http_route& route) -> std::string& { return route.files.root; }, as_root(),
          "kind: files below this directory")
      .key(
          "index", [](http_route& route) -> std::vector<std::string>& { return route.files.index; },
          index_rule(),
          "files: what answers for a directory, the first one that is there; fastcgi: one name")
      .key(
          "listing", [](http_route& route) -> bool& { return route.files.listing; }, as_boolean(),
          "files: directories without index are listed, else 403")
      .key(
          "dotfiles", [](http_route& route) -> dotfiles& { return route.files.dotfiles; },
          dotfiles_rule(), "files: whether names that begin with a dot are found")
      .key(
          "symlinks", [](http_route& route) -> symlinks& { return route.files.symlinks; },
          as_choice<symlinks>({{"inside", symlinks::inside}, {"none", symlinks::none}}),
          "files: links are followed below the root, or not found")
      .key(
          "precompressed",
          [](http_route& route) -> std::vector<coding>& { return route.files.precompressed; },
          precompressed_rule(), "files: siblings .br, .zst, .gz that are served; preferred first")
      .key("max_age", &http_route::max_age, max_age_rule(), "files: Cache-Control: max-age")
      .key(
          "fallback", [](http_route& route) -> std::string& { return route.files.fallback; },
          fallback_rule(), "files: what is served with 200 instead of a 404")
      .key(
          "types", [](http_route& route) -> mime_overrides& { return route.files.types; },
          types_rule(), "files: media types by the end of names, before our own");
}

void check_files(const config_value& table, const http_route& out, config_report& report) {
  if (out.kind != route_kind::files)
    return;
  if (const auto* index = table.find("index"); index && index->as<std::string>())
    expected_other(*index, "a list of names", report);
  if (out.match == route_match::exact)
    report.add(written(table, "match").at,
               "found an exact match beside \"files\", expected \"prefix\"");
}

} // namespace caf_app::http
