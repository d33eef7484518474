// The git commands that bring a commit into a folder. They run without the host's configuration,
// ask nobody for passwords, run no hooks and follow no submodules.
#pragma once

#include <string>
#include <vector>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

/// Commands to run one after the other; the first that fails ends it.
struct git_plan {
  struct command {
    std::vector<std::string> arguments; ///< the program first, absolute
    std::string failure;                ///< what it means if the command fails
  };

  std::vector<command> commands;
  std::vector<std::string> environment; ///< all of it: "NAME=VALUE"
  std::string source_folder;            ///< where the sources are afterwards
};

/// Without a branch only the commit comes; with one its history too, which tells whether the branch
/// has the commit.
/// @param folder is made by the first command; absolute
git_plan plan_git_fetch(const git_source& from, const std::string& folder);

} // namespace caf_app::eval
