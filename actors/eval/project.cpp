#include "actors/eval/project.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

class checker {
public:
  checker(const declaration& from, const std::vector<source_file>& files)
      : from_(from), files_(files) {}

  checked_project run() {
    for (auto& file : files_)
      if (file.path.ends_with(".cpp"))
        project_.sources.push_back(file.path);
    for (auto& function : from_.functions)
      check(function);
    for (auto& graph : from_.graphs)
      check(graph);
    return {std::move(project_), std::move(faults_)};
  }

private:
  void check(const function_declaration& function) {
    const auto before = faults_.size();
    if (!has_file(function.header)) {
      diagnostic fault;
      fault.where = diagnostic::scope::function;
      fault.name = function.name;
      fault.message = "the source has no file '" + function.header + "'";
      fault.file = function.header;
      faults_.push_back(std::move(fault));
    }
    auto parsed = parse_signature(function.signature);
    auto& arity = scope_.arities[function.name];
    if (auto fault = std::get_if<text_fault>(&parsed)) {
      arity = any_arity;
      add_fault(diagnostic::scope::function, function.name,
                {fault->place, "signature: " + fault->text});
      return;
    }
    auto& type = std::get<signature>(parsed);
    arity = type.arguments.size();
    for (auto& name : type.project_types())
      scope_.project_types.insert(name);
    if (faults_.size() == before)
      project_.functions.push_back({function, std::move(type)});
  }

  void check(const graph_declaration& graph) {
    const auto before = faults_.size();
    project_graph result{graph, {}, {}, {}};
    auto parsed = parse_program(graph.program, scope_);
    if (auto faults = std::get_if<std::vector<text_fault>>(&parsed)) {
      for (auto& fault : *faults)
        add_fault(diagnostic::scope::graph, graph.name, fault);
    } else {
      result.parsed = std::get<program>(std::move(parsed));
      check_input_names(graph, result.parsed);
    }
    for (auto& [name, text] : graph.input_types)
      if (auto type = read_type(graph, "inputTypes." + name, text))
        result.input_types.emplace(name, std::move(*type));
    if (graph.output_type)
      result.output_type = read_type(graph, "outputType", *graph.output_type);
    if (faults_.size() == before && is_sound(result.parsed))
      project_.graphs.push_back(std::move(result));
  }

  /// Whether the functions that a program applies can be compiled.
  bool is_sound(const program& parsed) const {
    return std::all_of(parsed.nodes.begin(), parsed.nodes.end(), [&](auto& node) {
      return node.is_input() ||
             std::any_of(project_.functions.begin(), project_.functions.end(),
                         [&](auto& function) { return function.declared.name == node.function; });
    });
  }

  void check_input_names(const graph_declaration& graph, const program& parsed) {
    for (auto& [name, type] : graph.input_types) {
      const auto known =
          std::any_of(parsed.nodes.begin(), parsed.nodes.end(),
                      [&, &input = name](auto& node) { return node.input == input; });
      if (!known)
        add_fault(diagnostic::scope::graph, graph.name,
                  {{0, 0}, "inputTypes." + name + ": the program has no such input"});
    }
  }

  std::optional<type_ref> read_type(const graph_declaration& graph, const std::string& member,
                                    const std::string& text) {
    auto parsed = parse_type(text);
    if (auto fault = std::get_if<text_fault>(&parsed)) {
      add_fault(diagnostic::scope::graph, graph.name, {{0, 0}, member + ": " + fault->text});
      return std::nullopt;
    }
    auto& type = std::get<type_ref>(parsed);
    std::set<std::string> names;
    type.collect_project_types(names);
    for (auto& name : names)
      if (!scope_.project_types.contains(name)) {
        add_fault(diagnostic::scope::graph, graph.name,
                  {{0, 0}, member + ": no declared signature names the type '" + name + "'"});
        return std::nullopt;
      }
    return std::move(type);
  }

  bool has_file(const std::string& path) const {
    return std::binary_search(files_.begin(), files_.end(), source_file{path, {}},
                              [](auto& a, auto& b) { return a.path < b.path; });
  }

  void add_fault(diagnostic::scope where, const std::string& name, const text_fault& fault) {
    diagnostic result;
    result.where = where;
    result.name = name;
    result.message = fault.text;
    result.line = fault.place.line;
    result.column = fault.place.column;
    faults_.push_back(std::move(result));
  }

  const declaration& from_;
  const std::vector<source_file>& files_;
  program_scope scope_;
  project project_;
  std::vector<diagnostic> faults_;
};

} // namespace

const project_function& project::function(std::string_view name) const {
  return *std::find_if(functions.begin(), functions.end(),
                       [&](auto& f) { return f.declared.name == name; });
}

checked_project check_parts(const declaration& from, const std::vector<source_file>& files) {
  return checker{from, files}.run();
}

std::variant<project, std::vector<diagnostic>>
check_project(const declaration& from, const std::vector<source_file>& files) {
  auto checked = check_parts(from, files);
  if (!checked.faults.empty())
    return std::move(checked.faults);
  return std::move(checked.sound);
}

} // namespace caf_app::eval
