#include "actors/eval/signature.hpp"

namespace caf_app::eval {

namespace {

bool is_plain(std::string_view name) { return name == "bool" || name == "double"; }

bool is_own(std::string_view name) {
  return name == "nat" || name == "integer" || name == "json" || name == "unit";
}

template <class Part>
std::string joined(const std::vector<type_ref>& types, std::string_view separator, Part part) {
  std::string result;
  for (auto& type : types)
    result += (result.empty() ? "" : std::string{separator}) + part(type);
  return result;
}

std::string signature_text(const signature& from, std::string_view own,
                           std::string (type_ref::*part)() const) {
  const std::string prefix{own};
  auto value = (from.value.*part)();
  if (from.result == signature::result_kind::outcome)
    value = prefix + "outcome<" + value + ">";
  if (from.is_producer())
    value = prefix + "produced<" + value + "," + ((*from.continuation).*part)() + ">";
  std::vector<std::string> parameters;
  if (from.takes_effects) {
    std::string tags;
    for (auto& tag : from.effects)
      tags.append(tags.empty() ? "" : ",").append(prefix).append(tag);
    parameters.push_back(prefix + "effects<" + tags + ">&");
  }
  for (auto& argument : from.arguments)
    parameters.push_back((argument.*part)());
  if (from.is_producer()) {
    parameters.push_back(prefix + "clock_ms");
    parameters.push_back((type_ref{"std::optional", {*from.continuation}, false}.*part)());
  }
  std::string list;
  for (auto& parameter : parameters)
    list += (list.empty() ? "" : ",") + parameter;
  return value + "(" + list + ")";
}

} // namespace

std::string type_ref::text() const {
  if (arguments.empty())
    return name;
  return name + "<" + joined(arguments, ",", [](auto& a) { return a.text(); }) + ">";
}

std::string type_ref::cpp() const {
  const auto global = is_plain(name) ? std::string{}
                      : is_own(name) ? std::string{"::caf_app::eval::"}
                                     : std::string{"::"};
  if (arguments.empty())
    return global + name;
  // "<::" is fine since C++11.
  return global + name + "<" + joined(arguments, ",", [](auto& a) { return a.cpp(); }) + ">";
}

void type_ref::collect_project_types(std::set<std::string>& to) const {
  if (of_project)
    to.insert(name);
  for (auto& argument : arguments)
    argument.collect_project_types(to);
}

std::string signature::cpp() const {
  return signature_text(*this, "::caf_app::eval::", &type_ref::cpp);
}

std::string signature::text() const { return signature_text(*this, "", &type_ref::text); }

std::set<std::string> signature::project_types() const {
  std::set<std::string> result;
  value.collect_project_types(result);
  if (continuation)
    continuation->collect_project_types(result);
  for (auto& argument : arguments)
    argument.collect_project_types(result);
  return result;
}

} // namespace caf_app::eval
