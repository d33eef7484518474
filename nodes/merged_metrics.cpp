#include "nodes/merged_metrics.hpp"

namespace caf_app {

namespace {

struct family {
  std::string head; // HELP and TYPE
  std::string lines;
};

using families = std::map<std::string, family, std::less<>>;

/// @returns the first line of `text`, with its end, which is removed
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
  text.remove_prefix(line.size());
  return line;
}

/// "# HELP name ..." or "# TYPE name ..." -> name
std::string_view family_of(std::string_view comment) {
  const auto name = comment.substr(7);
  return name.substr(0, name.find_first_of(" \n"));
}

std::string with_label(std::string_view line, const std::string& instance) {
  const auto end = line.find_first_of("{ ");
  if (end == std::string_view::npos)
    return std::string{line};
  std::string result{line.substr(0, end)};
  result.append("{instance=\"").append(instance).append("\"");
  if (line[end] == ' ')
    return result.append("}").append(line.substr(end));
  return result.append(",").append(line.substr(end + 1));
}

/// @param instance empty: the lines stay as they are
void add(families& all, std::string_view text, const std::string& instance) {
  std::string_view current;
  auto known = false;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) {
      if (const auto name = family_of(line); name != current) {
        current = name;
        known = all.find(name) != all.end();
      }
      if (auto& each = all[std::string{current}]; !known)
        each.head += line;
    } else if (!line.starts_with('#') && line.size() > 1) {
      all[std::string{current}].lines +=
          instance.empty() ? std::string{line} : with_label(line, instance);
    }
  }
}

} // namespace

std::string merged_metrics(std::string_view own,
                           const std::map<std::string, std::string>& instances) {
  families all;
  add(all, own, {});
  for (const auto& [name, text] : instances)
    add(all, text, name);
  std::string result;
  for (const auto& [name, each] : all)
    result.append(each.head).append(each.lines);
  return result;
}

} // namespace caf_app
