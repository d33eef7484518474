// Builds a driver in a folder of its own: writes source and generated code, compiles, links, has
// the driver describe itself and starts one worker. Blocking: an actor drives it on a thread of its
// own, cancels through a descriptor, and reads the log while it grows.
//
//   FOLDER/source/...     what the project is
//   FOLDER/generated/...  what is generated around it
//   FOLDER/objects/...    object files
//   FOLDER/driver         the result
//   FOLDER/log            what the tools said and the driver printed, its first 16 MiB
#pragma once

#include <string>
#include <vector>

#include "actors/eval/declaration.hpp"
#include "actors/eval/diagnostic.hpp"
#include "actors/eval/process/toolchain.hpp"

namespace caf_app::eval {

struct build_request {
  declaration declared;
  std::vector<source_file> files; ///< sorted by path
  std::string folder;             ///< exists not yet, or is of a build that did not end
  int cancel_fd = -1;             ///< readable: cancel; -1: never
};

struct build_result {
  enum class end : uint8_t { ready, failed, cancelled };

  end how = end::failed;
  std::vector<diagnostic> diagnostics;
  std::string error; ///< one sentence if it failed
  json description;  ///< of the driver, if it is ready
};

/// Builds. What goes wrong with files is a diagnostic of scope driver. If a text of the declaration
/// is faulty the sound rest is compiled all the same, so that one build tells all faults.
build_result build_driver(const build_request& request, const toolchain& tools);

/// Makes the precompiled header if it is not there yet, so that the first build need not.
/// @param folder for what the compiler says; made and removed
/// @returns what went wrong; empty if nothing
std::string warm_up(const std::string& folder, const toolchain& tools, int cancel_fd);

} // namespace caf_app::eval
