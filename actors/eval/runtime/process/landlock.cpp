// Landlock through its system calls: the C library has no wrappers, and the headers of older
// distributions lack the later fields. Numbers from include/uapi/linux/landlock.h.
#include "actors/eval/runtime/process/confinement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

namespace caf_app::eval {

namespace {

struct ruleset_attributes {
  uint64_t handled_access_fs = 0;
  uint64_t handled_access_net = 0; // version 4
  uint64_t scoped = 0;             // version 6
};

struct [[gnu::packed]] path_beneath {
  uint64_t allowed_access = 0;
  int32_t parent_fd = -1;
};

constexpr uint64_t fs_execute = 1 << 0;
constexpr uint64_t fs_write_file = 1 << 1;
constexpr uint64_t fs_read_file = 1 << 2;
constexpr uint64_t fs_read_dir = 1 << 3;
constexpr uint64_t fs_version_1 = (1 << 13) - 1;
constexpr uint64_t fs_refer = 1 << 13;     // version 2
constexpr uint64_t fs_truncate = 1 << 14;  // version 3
constexpr uint64_t fs_ioctl_dev = 1 << 15; // version 5
constexpr uint64_t files_only =
    fs_execute | fs_write_file | fs_read_file | fs_truncate | fs_ioctl_dev;
constexpr uint64_t net_both = 3;    // bind and connect
constexpr uint64_t scoped_both = 3; // abstract sockets and signals

ruleset_attributes attributes_for(int version) {
  ruleset_attributes result;
  result.handled_access_fs = fs_version_1 | (version >= 2 ? fs_refer : 0) |
                             (version >= 3 ? fs_truncate : 0) | (version >= 5 ? fs_ioctl_dev : 0);
  result.handled_access_net = version >= 4 ? net_both : 0;
  result.scoped = version >= 6 ? scoped_both : 0;
  return result;
}

size_t size_for(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

/// Allows `access` at and below `path`; a path that does not exist is fine.
bool add_rule(int ruleset, const std::string& path, uint64_t access) {
  const auto fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0)
    return true;
  struct stat what {};
  if (::fstat(fd, &what) == 0 && !S_ISDIR(what.st_mode))
    access &= files_only;
  const path_beneath rule{access, fd};
  const auto ok = ::syscall(SYS_landlock_add_rule, ruleset, 1, &rule, 0) == 0;
  ::close(fd);
  return ok;
}

} // namespace

int landlock_version() {
  const auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  return version > 0 ? static_cast<int>(version) : 0;
}

bool restrict_files(const landlock_rules& rules) {
  const auto version = landlock_version();
  if (version == 0)
    return false;
  const auto attributes = attributes_for(version);
  const auto ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size_for(version), 0));
  if (ruleset < 0)
    return false;
  const auto all = attributes.handled_access_fs;
  bool ok = true;
  for (auto& path : rules.read)
    ok = add_rule(ruleset, path, fs_execute | fs_read_file | fs_read_dir) && ok;
  for (auto& path : rules.write)
    ok = add_rule(ruleset, path, all & ~fs_ioctl_dev) && ok;
  for (auto& path : rules.devices)
    ok = add_rule(ruleset, path, all & (fs_read_file | fs_write_file | fs_truncate)) && ok;
  ok = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 && ok;
  ::close(ruleset);
  return ok;
}

} // namespace caf_app::eval
