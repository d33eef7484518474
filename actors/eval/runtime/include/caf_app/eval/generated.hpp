// What generated code is made of. A driver's sources are tables: one function per declared function
// (bind), one table of rows per graph, and a main function.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "caf_app/eval.hpp"
#include "caf_app/eval/bind.hpp"
#include "caf_app/eval/driver.hpp"

namespace caf_app::eval {

/// The one value_type of T.
template <class T>
const value_type& value_type_of() {
  return typed_value<T>::instance();
}

/// One node of a graph: an input with its type, or a function and where its arguments are.
struct graph_row {
  const char* input = nullptr;                  ///< its name; null: a function
  const value_type& (*type)() = nullptr;        ///< of an input
  const char* type_name = nullptr;              ///< of an input, canonical
  const function_face& (*function)() = nullptr; ///< null: an input
  size_t first_argument = 0;                    ///< place in the list of make_plan
  size_t arguments = 0;                         ///< how many
};

/// Makes the plan of a graph from its table, which codegen has checked.
/// @param rows the nodes in the order of their ids
/// @param arguments ids of the arguments of all rows, one row after the other
graph_plan make_plan(const char* name, bool cutoff, std::span<const graph_row> rows,
                     std::span<const size_t> arguments);

} // namespace caf_app::eval
