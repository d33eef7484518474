#include "actors/eval/api_route.hpp"

#include <vector>

#include "actors/eval/build_id.hpp"
#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

namespace {

using what = api_route::what;

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> result;
  if (path.starts_with('/'))
    path.remove_prefix(1);
  if (path.ends_with('/'))
    path.remove_suffix(1);
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    result.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return result;
}

struct choice {
  std::string_view method;
  what operation;
};

api_route choose(api_route found, std::string_view method, std::initializer_list<choice> choices) {
  for (auto& one : choices) {
    if (method == one.method || (method == "HEAD" && one.method == "GET")) {
      found.operation = one.operation;
      return found;
    }
    found.allow += (found.allow.empty() ? "" : ", ") + std::string{one.method};
    if (one.method == "GET")
      found.allow += ", HEAD";
  }
  found.operation = what::method_not_allowed;
  return found;
}

} // namespace

api_route find_api_route(std::string_view method, std::string_view path) {
  const auto parts = segments_of(path);
  if (parts.size() == 1 && (parts[0] == "health" || parts[0] == "_health"))
    return choose({}, method, {{"GET", what::health}});
  if (parts.empty() || parts[0] != "builds")
    return {};
  if (parts.size() == 1)
    return choose({}, method, {{"GET", what::list_builds}, {"POST", what::post_build}});
  if (!is_build_id(parts[1]))
    return {};
  api_route found;
  found.build = parts[1];
  if (parts.size() == 2)
    return choose(found, method, {{"GET", what::get_build}, {"DELETE", what::delete_build}});
  if (parts.size() == 3 && parts[2] == "log")
    return choose(found, method, {{"GET", what::get_log}});
  if (parts.size() != 4 || !is_dotted_name(parts[3]))
    return {};
  found.entry = parts[3];
  if (parts[2] == "functions")
    return choose(found, method, {{"POST", what::call_function}});
  if (parts[2] == "graphs")
    return choose(found, method, {{"POST", what::call_graph}});
  return {};
}

std::optional<std::string_view> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name)
      return pair.substr(std::min(equals + 1, pair.size()));
  }
  return std::nullopt;
}

} // namespace caf_app::eval
