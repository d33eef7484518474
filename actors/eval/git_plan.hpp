// The git commands that bring a commit into a folder. They run without the host's configuration,
// ask nobody for passwords, run no hooks and follow no submodules.
#pragma once

#include <string>
#include <vector>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

struct git_plan {
  struct command {
    std::vector<std::string> arguments;
    std::string failure; ///< what it means if the command fails
  };

  std::vector<command> commands;
  std::vector<std::string> environment;
  std::string source_folder; ///< where the sources are afterwards
};

/// @param folder is made by the first command; absolute
git_plan plan_git_fetch(const git_source& from, const std::string& folder);

} // namespace caf_app::eval
