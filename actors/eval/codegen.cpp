#include "actors/eval/codegen.hpp"

#include <algorithm>
#include <set>

#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

constexpr std::string_view head = "// Generated.\n#include <caf_app/eval/generated.hpp>\n";

/// A C++ string literal; texts are ASCII or UTF-8 without control characters.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (auto c : text) {
    if (c == '"' || c == '\\' || c == '?')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string with_colons(std::string_view dotted) {
  std::string result;
  for (auto c : dotted)
    result += c == '.' ? std::string{"::"} : std::string{c};
  return result;
}

std::string line_directive(uint32_t line, std::string_view prefix, const std::string& name) {
  return "#line " + std::to_string(line) + " " + literal(std::string{prefix} + name) + "\n";
}

std::string function_call(size_t index) { return "function_" + std::to_string(index); }

std::string declare_function(size_t index) {
  return "const ::caf_app::eval::function_face& " + function_call(index) + "();\n";
}

/// Assertions that every type of a signature crosses.
std::string check_types(const project_function& function) {
  std::vector<std::pair<type_ref, std::string>> types{{function.type.value, "the result"}};
  if (function.type.continuation)
    types.emplace_back(*function.type.continuation, "the continuation");
  for (size_t i = 0; i < function.type.arguments.size(); ++i)
    types.emplace_back(function.type.arguments[i], "argument " + std::to_string(i + 1));
  std::string result = line_directive(1, function_line_prefix, function.declared.name);
  std::set<std::string> known;
  for (auto& [type, place] : types) {
    std::set<std::string> own;
    type.collect_project_types(own);
    if (own.empty() || !known.insert(type.text()).second)
      continue; // built-in types cross
    result += "static_assert(::caf_app::eval::crosses<" + type.cpp() + ">, " +
              literal(place + ", " + type.text() + ", does not cross as JSON") + ");\n";
  }
  return result;
}

std::string define_function(const project_function& function, size_t index) {
  const auto type = "type_" + std::to_string(index);
  auto result = check_types(function);
  result += line_directive(signature_line, function_line_prefix, function.declared.name);
  // All in one line: whatever is wrong with it is about the signature.
  result += "using " + type + " = " + function.type.cpp() + "; ";
  result += "const ::caf_app::eval::function_face& " + function_call(index) +
            "() { static const auto face = ::caf_app::eval::bind<" + type + ", static_cast<" +
            type + "*>(&::" + function.declared.function + ")>(" + literal(function.declared.name) +
            ", " + literal(function.declared.signature) + "); return face; }\n";
  return result;
}

std::string include(const std::string& header) { return "#include \"" + header + "\"\n"; }

/// One unit per header, in the order in which headers are first named.
void generate_functions(const project& from, std::vector<generated_file>& to) {
  std::vector<std::string> headers;
  for (auto& function : from.functions)
    if (std::find(headers.begin(), headers.end(), function.declared.header) == headers.end())
      headers.push_back(function.declared.header);
  for (size_t i = 0; i < headers.size(); ++i) {
    std::string text{head};
    text += include(headers[i]) + "namespace caf_app_driver {\n";
    for (size_t f = 0; f < from.functions.size(); ++f)
      if (from.functions[f].declared.header == headers[i])
        text += define_function(from.functions[f], f);
    to.push_back({"functions_" + std::to_string(i) + ".cpp", text + "}\n"});
  }
}

class graph_writer {
public:
  graph_writer(const project& from, const project_graph& graph) : from_(from), graph_(graph) {}

  std::string unit(size_t index) {
    std::string text{head};
    for (auto& header : headers())
      text += include(header);
    text += "namespace caf_app_driver {\n";
    for (auto f : used_functions())
      text += declare_function(f);
    text += checks() + rows();
    text += "::caf_app::eval::graph_plan graph_" + std::to_string(index) +
            "() { return ::caf_app::eval::make_plan(" + literal(graph_.declared.name) +
            (graph_.declared.cutoff ? ", true" : ", false") + ", rows, {arguments, " +
            std::to_string(arguments_) + "}); }\n}\n";
    return text;
  }

private:
  const std::vector<program_node>& nodes() const { return graph_.parsed.nodes; }

  size_t index_of(const std::string& function) const {
    return static_cast<size_t>(&from_.function(function) - from_.functions.data());
  }

  std::set<size_t> used_functions() const {
    std::set<size_t> used;
    for (auto& node : nodes())
      if (!node.is_input())
        used.insert(index_of(node.function));
    return used;
  }

  /// Headers of all functions whose signatures name a project's type that the graph needs.
  std::vector<std::string> headers() const {
    std::set<std::string> types;
    for (auto& node : nodes())
      type_of(node).collect_project_types(types);
    for (auto& [name, type] : graph_.input_types)
      type.collect_project_types(types);
    if (graph_.output_type)
      graph_.output_type->collect_project_types(types);
    for (auto f : used_functions())
      types.merge(from_.functions[f].type.project_types());
    std::vector<std::string> result;
    for (auto& function : from_.functions) {
      const auto own = function.type.project_types();
      const auto needed =
          std::any_of(own.begin(), own.end(), [&](auto& name) { return types.contains(name); });
      auto& header = function.declared.header;
      if (needed && std::find(result.begin(), result.end(), header) == result.end())
        result.push_back(header);
    }
    return result;
  }

  const type_ref& type_of(const program_node& node) const {
    return node.is_input() ? node.type : from_.function(node.function).type.value;
  }

  /// An assertion that two types are the same, unless they have the same name.
  std::string same(const type_ref& got, const type_ref& expected, text_place place,
                   const std::string& message) const {
    if (got == expected)
      return {};
    return line_directive(place.line, graph_line_prefix, graph_.declared.name) +
           "static_assert(::std::is_same_v<" + got.cpp() + ", " + expected.cpp() + ">, " +
           literal(std::string{column_mark} + std::to_string(place.column) + " " + message) +
           ");\n";
  }

  std::string checks() const {
    std::string text;
    for (auto& node : nodes()) {
      if (node.is_input())
        text += check_input(node);
      else
        text += check_application(node);
    }
    if (graph_.output_type) {
      auto& got = type_of(nodes()[graph_.parsed.result]);
      text +=
          same(got, *graph_.output_type, graph_.parsed.result_place,
               "the graph returns " + got.text() + ", outputType is " + graph_.output_type->text());
    }
    return text + line_directive(1, graph_line_prefix, graph_.declared.name);
  }

  std::string check_input(const program_node& node) const {
    auto declared = graph_.input_types.find(node.input);
    if (declared == graph_.input_types.end())
      return {};
    return same(node.type, declared->second, node.place,
                "input " + node.input + " is " + node.type.text() + ", inputTypes has " +
                    declared->second.text());
  }

  std::string check_application(const program_node& node) const {
    std::string text;
    auto& parameters = from_.function(node.function).type.arguments;
    for (size_t i = 0; i < parameters.size(); ++i) {
      auto& got = type_of(nodes()[node.arguments[i]]);
      text += same(got, parameters[i], node.argument_places[i],
                   "argument " + std::to_string(i + 1) + " of " + with_colons(node.function) +
                       " is " + parameters[i].text() + ", got " + got.text());
    }
    return text;
  }

  std::string rows() {
    std::string list;
    std::string text = "const ::caf_app::eval::graph_row rows[] = {\n";
    for (auto& node : nodes()) {
      if (node.is_input()) {
        text += "  {" + literal(node.input) + ", &::caf_app::eval::value_type_of<" +
                node.type.cpp() + ">, " + literal(node.type.text()) + ", nullptr, 0, 0},\n";
        continue;
      }
      text += "  {nullptr, nullptr, nullptr, &" + function_call(index_of(node.function)) + ", " +
              std::to_string(arguments_) + ", " + std::to_string(node.arguments.size()) + "},\n";
      for (auto argument : node.arguments)
        list += std::to_string(argument) + ",";
      arguments_ += node.arguments.size();
    }
    // One more, because an array may not be empty.
    return text + "};\nconst size_t arguments[] = {" + list + "0};\n";
  }

  const project& from_;
  const project_graph& graph_;
  size_t arguments_ = 0;
};

std::string driver_unit(const project& from) {
  std::string text{head};
  std::string functions;
  std::string graphs;
  text += "namespace caf_app_driver {\n";
  for (size_t i = 0; i < from.functions.size(); ++i) {
    text += declare_function(i);
    functions += "&caf_app_driver::" + function_call(i) + "(),\n";
  }
  for (size_t i = 0; i < from.graphs.size(); ++i) {
    const auto name = "graph_" + std::to_string(i) + "()";
    text += "::caf_app::eval::graph_plan " + name + ";\n";
    graphs += "caf_app_driver::" + name + ",\n";
  }
  return text + "}\nint main() {\n  return ::caf_app::eval::driver_main({{\n" + functions +
         "}, {\n" + graphs + "}});\n}\n";
}

} // namespace

std::vector<generated_file> generate_driver(const project& from) {
  std::vector<generated_file> files;
  generate_functions(from, files);
  for (size_t i = 0; i < from.graphs.size(); ++i)
    files.push_back(
        {"graph_" + std::to_string(i) + ".cpp", graph_writer{from, from.graphs[i]}.unit(i)});
  files.push_back({"driver.cpp", driver_unit(from)});
  return files;
}

} // namespace caf_app::eval
