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

template <class T>
const value_type& value_type_of() {
  return typed_value<T>::instance();
}

/// One node of a graph: an input with its type, or a function and where its arguments are.
struct graph_row {
  const char* input = nullptr;
  const value_type& (*type)() = nullptr;
  const char* type_name = nullptr;
  const function_face& (*function)() = nullptr;
  size_t first_argument = 0;
  size_t arguments = 0;
};

graph_plan make_plan(const char* name, bool cutoff, std::span<const graph_row> rows,
                     std::span<const size_t> arguments);

} // namespace caf_app::eval
