// A declaration and its source, checked as far as texts go: signatures are read, programs are
// parsed, headers are there. What only a compiler can tell is left to the build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/eval/declaration.hpp"
#include "actors/eval/diagnostic.hpp"
#include "actors/eval/program.hpp"
#include "actors/eval/signature.hpp"

namespace caf_app::eval {

struct project_function {
  function_declaration declared;
  signature type;
};

struct project_graph {
  graph_declaration declared;
  program parsed;
  std::map<std::string, type_ref> input_types; ///< as declared, may be partial
  std::optional<type_ref> output_type;
};

/// What a driver is generated from.
struct project {
  std::vector<project_function> functions;
  std::vector<project_graph> graphs;
  std::vector<std::string> sources; ///< every .cpp file

  /// The function of that dotted name, which exists.
  const project_function& function(std::string_view name) const;
};

/// What can be compiled although something else is faulty, so that one build tells all faults.
struct checked_project {
  project sound; ///< functions and graphs without a fault, and graphs' functions are among them
  std::vector<diagnostic> faults;
};

/// @param files sorted by path
checked_project check_parts(const declaration& from, const std::vector<source_file>& files);

/// Checks a declaration against its source.
/// @param files sorted by path
/// @returns the project, or every fault that can be found without a compiler
std::variant<project, std::vector<diagnostic>> check_project(const declaration& from,
                                                             const std::vector<source_file>& files);

} // namespace caf_app::eval
