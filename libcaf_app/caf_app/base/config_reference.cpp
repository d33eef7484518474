#include "caf_app/base/config_reference.hpp"

#include <string_view>

namespace caf_app {

namespace {

/// Text for a cell: a bar would end it.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '|' ? std::string{"\\|"} : std::string{c};
  return result;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string{} : "`" + cell(text) + "`";
}

bool is_list(const config_key& key) { return key.type.starts_with("list of "); }

/// How the table `path` is written: [a.b], or [[a.b]] when there may be several.
std::string heading(const config_key& key, const std::string& path) {
  return is_list(key) ? "[[" + path + "]]" : "[" + path + "]";
}

void append_row(std::string& out, const config_key& key, const std::string& path) {
  const auto is_table = !key.keys.empty();
  out += "| " + code(key.name) + " | ";
  out += is_table ? code(heading(key, path)) + ", below" : cell(key.type);
  out += " | ";
  out += key.fallback == "required" ? "required" : is_table ? "" : code(key.fallback);
  out += " | " + cell(key.meaning) + " |\n";
}

void append_table(std::string& out, const config_key& table, const std::string& path) {
  out += "\n## `" + heading(table, path) + "`: " + table.meaning + "\n\n";
  out += "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const auto& key : table.keys)
    append_row(out, key, path + "." + key.name);
  for (const auto& key : table.keys)
    if (!key.keys.empty())
      append_table(out, key, path + "." + key.name);
}

} // namespace

std::string to_markdown(const std::vector<config_key>& sections) {
  std::string result;
  for (const auto& section : sections)
    append_table(result, section, section.name);
  return result;
}

} // namespace caf_app
