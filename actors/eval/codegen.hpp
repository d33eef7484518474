// The sources of a driver: one translation unit per function header, one per graph, one with the
// main function. Generated lines that check something carry `#line` directives with a made-up file
// name, so that compiler_output can tell which function or which line of a program is meant.
#pragma once

#include <string>
#include <vector>

#include "actors/eval/project.hpp"

namespace caf_app::eval {

/// One translation unit of a driver.
struct generated_file {
  std::string name; ///< "functions_0.cpp", "graph_0.cpp", "driver.cpp"
  std::string content;
};

/// @param from has been checked (project.hpp): its texts go into C++ as they are
std::vector<generated_file> generate_driver(const project& from);

/// Made-up files of `#line`: the prefix goes before the name of the function or graph.
inline constexpr std::string_view function_line_prefix = "caf_app:function/";
inline constexpr std::string_view graph_line_prefix = "caf_app:graph/";

/// The line of a function's made-up file where its signature is compared; other lines are about the
/// types in it.
inline constexpr uint32_t signature_line = 1000;

/// Messages of assertions about graphs begin with this and the column, up to the next blank.
inline constexpr std::string_view column_mark = "@";

} // namespace caf_app::eval
