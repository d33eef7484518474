// What builds need of the host: compiler, runtime, launcher, limits. And the command lines made of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace caf_app::eval {

/// As confinement_wanted of eval_config.
enum class confinement_mode : uint8_t { best, required, off };

/// Paths are absolute.
struct toolchain {
  std::string compiler = "/usr/bin/g++";
  std::string include_folder;  ///< holds caf_app/eval.hpp
  std::string runtime_archive; ///< libcaf_app_eval_runtime.a
  std::string launcher;        ///< the confine program
  std::string cache_folder;    ///< for precompiled headers
  confinement_mode mode = confinement_mode::best;
  uint64_t worker_memory_bytes = uint64_t{512} << 20; ///< address space of drivers and workers
  int build_timeout_ms = 600'000;                     ///< of the whole build
  int handshake_timeout_ms = 5'000; ///< from the start of a driver or worker to its first answer
  bool busy_poll = true;            ///< workers look for the next call before they sleep
  size_t jobs = 2;                  ///< compilers at a time within a build
};

/// The toolchain of this build tree or installation.
/// @param cache_folder where precompiled headers may be kept
toolchain default_toolchain(std::string cache_folder);

/// Flags that a precompiled header and its users must share.
std::vector<std::string> common_flags(const toolchain& from);

/// A command line that runs `command` confined as a compiler, with at most 4 GiB of address space,
/// 600 s of processor and 1 GiB for a file; if mode is off it only ends with this process, children
/// included.
/// @param read folders of the project, beside the system's
/// @param write folders to write to
std::vector<std::string> confined_compiler(const toolchain& from, std::vector<std::string> command,
                                           const std::vector<std::string>& read,
                                           const std::vector<std::string>& write);

/// A command line that runs `command` unconfined; it and its children end with this process.
/// @param launcher the confine program; empty: `command` as it is
std::vector<std::string> mortal_command(const std::string& launcher,
                                        const std::vector<std::string>& command);

/// A command line that runs a driver confined; it may only be executed.
/// @param fork_key what it needs to fork workers
std::vector<std::string> confined_driver(const toolchain& from, const std::string& driver,
                                         uint64_t fork_key);

/// The precompiled header of the runtime: the file to `-include`, made if it is not there yet.
struct precompiled_header {
  std::string path;                 ///< without ".gch"
  std::vector<std::string> command; ///< makes it; empty if it is there
  std::string temporary;            ///< what the command writes; renamed to path + ".gch" after
};

/// Where the header for this toolchain belongs, by a digest of flags, compiler and runtime headers;
/// its folder exists afterwards.
precompiled_header find_precompiled_header(const toolchain& from);

} // namespace caf_app::eval
