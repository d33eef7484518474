#include "actors/eval/declaration.hpp"

#include <algorithm>
#include <set>

#include "actors/eval/lexer.hpp"
#include "actors/eval/program.hpp"
#include "actors/eval/signature.hpp"
#include "actors/eval/source_spec.hpp"

namespace caf_app::eval {

namespace {

using fault = std::optional<std::string>;

fault read_text(const json& from, const char* member, std::string& to) {
  auto value = from.find(member);
  if (!value)
    return std::string{member} + ": missing";
  if (!value->if_string())
    return std::string{member} + ": expected a string, got " + std::string{article_of(*value)};
  to = *value->if_string();
  return std::nullopt;
}

/// Calls `read(item, index)` for each object of the array `member`.
template <class Read>
fault read_list(const json& from, const char* member, size_t count_max, Read read) {
  auto list = from.find(member);
  if (!list)
    return std::nullopt;
  auto items = list->if_array();
  if (!items)
    return std::string{member} + ": expected an array";
  if (items->size() > count_max)
    return std::string{member} + ": more than " + std::to_string(count_max);
  for (size_t i = 0; i < items->size(); ++i) {
    auto place = member + ("[" + std::to_string(i) + "]");
    if (!(*items)[i].if_object())
      return place + ": expected an object";
    if (auto text = read((*items)[i]))
      return place + "." + *text;
  }
  return std::nullopt;
}

fault check_name(const std::string& name, std::set<std::string>& known) {
  if (!is_dotted_name(name))
    return "name: expected identifiers joined by dots, at most " + std::to_string(name_bytes_max) +
           " characters";
  if (!known.insert(name).second)
    return "name: '" + name + "' is declared twice";
  return std::nullopt;
}

/// Takes `::` off the front and checks what is left.
fault check_function(std::string& name) {
  if (name.starts_with("::"))
    name.erase(0, 2);
  std::string_view rest{name};
  for (;;) {
    auto end = rest.find("::");
    auto part = rest.substr(0, end);
    if (!is_identifier(part) || is_keyword(part))
      return "function: expected the qualified name of a C++ function";
    if (end == std::string_view::npos)
      return std::nullopt;
    rest.remove_prefix(end + 2);
  }
}

fault read_function(const json& from, std::set<std::string>& names, function_declaration& to) {
  for (auto [member, text] : {std::pair{"name", &to.name},
                              {"header", &to.header},
                              {"function", &to.function},
                              {"signature", &to.signature}})
    if (auto wrong = read_text(from, member, *text))
      return wrong;
  if (auto wrong = check_name(to.name, names))
    return wrong;
  if (!is_plain_path(to.header))
    return "header: expected a relative path";
  if (to.signature.size() > signature_bytes_max ||
      to.signature.find_first_of("\r\n") != std::string::npos)
    return "signature: expected one line of at most " + std::to_string(signature_bytes_max) +
           " bytes";
  return check_function(to.function);
}

fault read_input_types(const json& from, graph_declaration& to) {
  auto types = from.find("inputTypes");
  if (!types || types->is_null())
    return std::nullopt;
  if (!types->if_object())
    return "inputTypes: expected an object";
  for (auto& [name, type] : *types->if_object()) {
    if (!is_identifier(name))
      return "inputTypes: '" + name + "' is no identifier";
    if (!type.if_string() || type.if_string()->size() > signature_bytes_max)
      return "inputTypes." + name + ": expected a type";
    to.input_types.emplace(name, *type.if_string());
  }
  return std::nullopt;
}

fault read_graph(const json& from, std::set<std::string>& names, graph_declaration& to) {
  for (auto [member, text] : {std::pair{"name", &to.name}, {"program", &to.program}})
    if (auto wrong = read_text(from, member, *text))
      return wrong;
  if (auto wrong = check_name(to.name, names))
    return wrong;
  if (to.program.size() > program_bytes_max)
    return "program: more than " + std::to_string(program_bytes_max) + " bytes";
  if (auto type = from.find("outputType"); type && !type->is_null())
    if (auto wrong = read_text(from, "outputType", to.output_type.emplace()))
      return wrong;
  if (auto flag = from.find("cutoff")) {
    if (!flag->if_bool())
      return "cutoff: expected a boolean";
    to.cutoff = *flag->if_bool();
  }
  return read_input_types(from, to);
}

fault read_organisation(const json& from, std::string& to) {
  auto binding = from.find("binding");
  if (!binding || binding->is_null())
    return std::nullopt;
  if (!binding->if_object())
    return "binding: expected an object";
  if (!binding->find("org_id"))
    return std::nullopt;
  if (auto wrong = read_text(*binding, "org_id", to))
    return "binding." + *wrong;
  if (!is_binding_name(to))
    return "binding.org_id: expected letters, digits, '_' and '-'";
  return std::nullopt;
}

fault read_all(const json& from, local_sources local, declaration& to) {
  if (!from.if_object())
    return "expected an object";
  auto source = from.find("source");
  if (!source)
    return "source: missing";
  if (auto wrong = read_source(*source, local, to.source))
    return "source" + *wrong;
  std::set<std::string> function_names;
  auto wrong = read_list(from, "functions", functions_max, [&](const json& item) {
    return read_function(item, function_names, to.functions.emplace_back());
  });
  if (wrong)
    return wrong;
  if (to.functions.empty())
    return "functions: at least one";
  std::set<std::string> graph_names;
  wrong = read_list(from, "graphs", graphs_max, [&](const json& item) {
    return read_graph(item, graph_names, to.graphs.emplace_back());
  });
  return wrong ? wrong : read_organisation(from, to.organisation);
}

} // namespace

std::variant<declaration, std::string> read_declaration(const json& from, local_sources local) {
  declaration result;
  if (auto wrong = read_all(from, local, result))
    return std::move(*wrong);
  return result;
}

bool is_dotted_name(std::string_view name) {
  if (name.size() > name_bytes_max)
    return false;
  for (;;) {
    auto dot = name.find('.');
    if (!is_identifier(name.substr(0, dot)))
      return false;
    if (dot == std::string_view::npos)
      return true;
    name.remove_prefix(dot + 1);
  }
}

bool is_binding_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

} // namespace caf_app::eval
