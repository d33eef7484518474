// What is wrong with a build, one entry per fault, and how compiler output becomes that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

struct diagnostic {
  /// What it is about. `driver`: the evaluator itself, not what the project says.
  enum class scope : uint8_t { function, graph, project, driver };
  enum class severity : uint8_t { error, warning };

  scope where = scope::project;
  std::string name; ///< of the function or graph; empty for project and driver
  severity grade = severity::error;
  std::string message;
  std::string file;    ///< relative to the source; empty if none
  uint32_t line = 0;   ///< from 1; 0: none
  uint32_t column = 0; ///< from 1; 0: none
  std::string hint;    ///< what may help; empty if none

  bool operator==(const diagnostic&) const = default;
};

std::string_view to_string(diagnostic::scope where);

/// {scope, name, severity, message, file, line, column, hint}; what is empty is null.
json to_json(const diagnostic& from);
json to_json(const std::vector<diagnostic>& from);

bool has_errors(const std::vector<diagnostic>& list);

/// Appends those of `more` that are not there yet: a faulty header is included many times.
void merge(std::vector<diagnostic>& to, std::vector<diagnostic> more);

} // namespace caf_app::eval
