// From the path of a request to an open file, with everything on the way that may wait for a disk:
// so it runs on a worker, never on a loop. What guards the root is the kernel: openat2 with
// RESOLVE_BENEATH, which no escape, link or race gets around (openat2(2)).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <caf/error.hpp>

#include "actors/http/file_entry.hpp"
#include "actors/http/file_rules.hpp"

namespace caf_app::http {

enum class found_kind : uint8_t {
  file,
  page,      ///< a directory, listed
  directory, ///< asked for without its slash
  forbidden,
  not_found,
  busy, ///< no descriptor or memory left: 503
};

struct found {
  found_kind kind = found_kind::not_found;
  file_entry_ptr file; ///< with `file`
  std::string page;    ///< with `page`, HTML
};

/// Blocks.
/// @param below what of the path is below the route, as request_view::below
/// @param path the whole path, for the title of a listing
found find_file(const file_rules& rules, std::string_view below, std::string_view path);

/// Opens what `name` is below the directory `root`, by openat2 and RESOLVE_BENEATH; never a
/// terminal, never waits for the other end of a FIFO. Blocks.
/// @param flags of open(2)
/// @returns a descriptor, or -1 and errno
int open_beneath(int root, const std::string& name, symlinks rule, uint64_t flags);

/// Blocks. @returns the content; nothing if the file is not as long as it was
std::optional<std::string> read_whole(const shared_file& file, uint64_t size);

/// Whether the file behind `form` is still as it was when it was opened; one system call that waits
/// for nothing.
bool is_unchanged(const file_form& form);

/// Blocks. @returns errc::invalid_config if the root is not a directory that can be opened
caf::error check_root(const std::string& root);

} // namespace caf_app::http
