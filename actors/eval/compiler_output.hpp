// What g++ and the linker say, as diagnostics about the project: made-up files of generated code
// lead back to functions and to lines of programs, paths become relative, notes become hints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/eval/diagnostic.hpp"
#include "actors/eval/project.hpp"

namespace caf_app::eval {

/// Where things are, absolute and without a slash at the end.
struct output_folders {
  std::string source;
  std::string generated;
};

/// Reads the output of one compiler run. Warnings about the project are kept, notes become the hint
/// of what they follow.
std::vector<diagnostic> read_compiler_output(std::string_view text, const project& from,
                                             const output_folders& folders);

/// Reads the output of the linker.
std::vector<diagnostic> read_linker_output(std::string_view text, const project& from);

} // namespace caf_app::eval
