// The language of graph programs: reads as C++, knows only inputs and applications of declared
// functions.
//
//   statement = "auto" NAME "=" expr ";" | "return" expr ";"      (one return, the last statement)
//   expr      = "input" "<" type ">" "(" string ")" | function "(" [expr {"," expr}] ")" | NAME
//   function  = NAME {"::" NAME}
//
// Nodes are numbered as they are read: arguments left to right, then the application, so that ids
// never depend on a compiler.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/eval/lexer.hpp"
#include "actors/eval/signature.hpp"

namespace caf_app::eval {

/// Bytes of a program's text.
inline constexpr size_t program_bytes_max = size_t{64} << 10;

/// Expressions nest at most that deep.
inline constexpr size_t expression_depth_max = 256;

struct program_node {
  text_place place;                        ///< of `input` or of the function's name
  std::string input;                       ///< name of an input; empty for an application
  type_ref type;                           ///< of an input
  std::string function;                    ///< dotted name; empty for an input
  std::vector<size_t> arguments;           ///< ids, each below the node's own
  std::vector<text_place> argument_places; ///< where each argument stands

  bool is_input() const noexcept { return function.empty(); }
};

struct program {
  std::vector<program_node> nodes; ///< the id of a node is its place
  size_t result = 0;               ///< the node that `return` names
  text_place result_place;
};

/// The arity of a function whose signature cannot be read: that fault is enough.
inline constexpr size_t any_arity = static_cast<size_t>(-1);

/// What a program may name.
struct program_scope {
  std::map<std::string, size_t, std::less<>> arities; ///< declared functions by dotted name
  std::set<std::string, std::less<>> project_types;   ///< that declared signatures name
};

using program_result = std::variant<program, std::vector<text_fault>>;

/// Reads a program.
/// @returns the program, or the first fault of each statement
program_result parse_program(std::string_view text, const program_scope& scope);

} // namespace caf_app::eval
