// Brings the sources of a git commit here. Blocking, like the builder.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "actors/eval/declaration.hpp"
#include "actors/eval/eval_config.hpp"

namespace caf_app::eval {

struct fetch_options {
  std::string folder;       ///< for the working copy; exists not yet, removed afterwards
  std::string log_path;     ///< what git says is appended, up to `log_bytes_max`
  int timeout_ms = 120'000; ///< of all commands together
  int cancel_fd = -1;       ///< readable: cancelled; -1: never
  std::string launcher{}; ///< the confine program, so that git ends with this process; may be empty
  uint64_t log_bytes_max = limit::build_log_bytes; ///< the server says what git says
};

struct fetch_fault {
  bool cancelled = false;
  std::string text;
};

/// @returns the files, sorted by path, or why there are none
std::variant<std::vector<source_file>, fetch_fault> fetch_git(const git_source& from,
                                                              const fetch_options& options);

} // namespace caf_app::eval
