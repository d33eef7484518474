// What keeps compiled strangers in: each layer on its own, so that a host that lacks one has the
// others. Applied to the calling process and inherited by its children; nothing can be taken back.
//
//   launch    no new privileges, limits, closed descriptors, Landlock, seccomp allow-list; then
//   exec zygote    Landlock: opens nothing any more; no exec worker    no fork
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf_app::eval {

/// What is in force. A layer that is missing is a warning, or an error if confinement is required.
struct confinement_status {
  bool no_new_privileges = false;
  bool limits = false;
  bool seccomp = false;
  int landlock_version = 0; ///< of the kernel; 0: none

  bool complete() const noexcept {
    return no_new_privileges && limits && seccomp && landlock_version > 0;
  }
  /// {"noNewPrivileges", "limits", "seccomp", "landlock"}
  std::string json_text() const;
};

/// Whom a filter is for: a driver computes and forks workers, a compiler needs files and processes.
enum class confined : uint8_t { driver, compiler };

/// What a process may open: paths with everything below.
struct landlock_rules {
  std::vector<std::string> read;    ///< also execute
  std::vector<std::string> write;   ///< read, write, create, remove
  std::vector<std::string> devices; ///< existing files to read and write
};

/// Limits of a process, soft and hard alike (setrlimit); 0: as it is. There are never core dumps.
struct resource_limits {
  uint64_t memory_bytes = 0; ///< address space
  uint64_t cpu_seconds = 0;
  uint64_t file_bytes = 0; ///< size of a written file; see `may_write`
  bool may_write = false;  ///< false: `file_bytes` does not count; Landlock leaves nothing to open
};

/// For the rest of the process and its children: no set-user-id program, no file capability.
/// Seccomp and Landlock ask for it (prctl(2), PR_SET_NO_NEW_PRIVS).
/// @returns whether it is in force, as all functions below that return a bool
bool forbid_new_privileges();
bool limit_resources(const resource_limits& limits);

/// The kernel's version of Landlock, 0 if there is none.
int landlock_version();

/// Rules for files; also no TCP, no signals and no abstract sockets to the outside where the kernel
/// knows how. Paths that do not exist are left out.
bool restrict_files(const landlock_rules& rules);

/// System calls: an allow-list; everything else fails with EPERM.
/// @param fork_key a driver forks only with it (fork_with_key), which the server says after the
/// constructors of the project have run: what they forked would outlive the server
bool allow_system_calls(confined kind, uint64_t fork_key);

/// fork() for those whom allow_system_calls() lets fork.
/// @returns the child's number, 0 in the child, -1 if the key is wrong or there is no room
int fork_with_key(uint64_t key);

/// On top of the allow-list: no exec (zygote), and no fork either (worker).
enum class tightened : uint8_t { zygote, worker };
bool tighten_system_calls(tightened how);

/// Closes all descriptors from `first` on.
void close_descriptors(int first);

/// The process dies with its parent.
/// @param parent whose child this is; if it is gone already the process ends here
void die_with_parent(int parent);

} // namespace caf_app::eval
