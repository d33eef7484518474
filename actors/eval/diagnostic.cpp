#include "actors/eval/diagnostic.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

json text_or_null(const std::string& text) { return text.empty() ? json{} : json{text}; }
json number_or_null(uint32_t number) { return number == 0 ? json{} : json{number}; }

} // namespace

std::string_view to_string(diagnostic::scope where) {
  switch (where) {
    case diagnostic::scope::function: return "function";
    case diagnostic::scope::graph: return "graph";
    case diagnostic::scope::project: return "project";
    case diagnostic::scope::driver: return "driver";
  }
  return "";
}

json to_json(const diagnostic& from) {
  json result;
  result.add("scope", to_string(from.where));
  result.add("name", text_or_null(from.name));
  result.add("severity", from.grade == diagnostic::severity::error ? "error" : "warning");
  result.add("message", from.message);
  result.add("file", text_or_null(from.file));
  result.add("line", number_or_null(from.line));
  result.add("column", number_or_null(from.column));
  result.add("hint", text_or_null(from.hint));
  return result;
}

json to_json(const std::vector<diagnostic>& from) {
  json::array items;
  for (auto& item : from)
    items.push_back(to_json(item));
  return items;
}

bool has_errors(const std::vector<diagnostic>& list) {
  return std::any_of(list.begin(), list.end(),
                     [](auto& d) { return d.grade == diagnostic::severity::error; });
}

void merge(std::vector<diagnostic>& to, std::vector<diagnostic> more) {
  for (auto& item : more)
    if (std::find(to.begin(), to.end(), item) == to.end())
      to.push_back(std::move(item));
}

} // namespace caf_app::eval
