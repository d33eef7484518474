#include "actors/http/file_finder_handler.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "actors/http/file_limits.hpp"
#include "actors/http/file_listing.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/loop/output_queue.hpp"

namespace caf_app::http {

namespace {

constexpr int tries_max = 8;                        // while somebody renames directories on the way
constexpr std::chrono::milliseconds time_grain{20}; // of a file system's times, with room to spare

found_kind kind_of_error(int error) {
  switch (error) {
    case EACCES:
    case EPERM: return found_kind::forbidden;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN: return found_kind::busy;
    default: return found_kind::not_found; // also links out of the root: EXDEV, ELOOP
  }
}

int64_t ns(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

void describe(const struct stat& facts, file_form& form) {
  form.facts.size = static_cast<uint64_t>(facts.st_size);
  form.facts.mtime_ns = ns(facts.st_mtim);
  form.device = facts.st_dev;
  form.inode = facts.st_ino;
  form.changed_ns = ns(facts.st_ctim);
  const auto now = wall_now().time_since_epoch();
  form.fresh = now - std::chrono::nanoseconds{form.changed_ns} < time_grain;
}

class finder {
public:
  finder(const file_rules& rules, std::string_view path) : rules_(rules), path_(path) {}

  found run(std::string_view below) {
    shared_file root{::open(rules_.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (root.fd() < 0)
      return {kind_of_error(errno), nullptr, {}};
    root_ = root.fd();
    auto result = search(below);
    if (result.kind != found_kind::not_found || rules_.fallback.empty())
      return result;
    found instead;
    const auto fd = open_beneath(root_, rules_.fallback, rules_.symlinks, O_RDONLY);
    if (fd < 0)
      return result;
    instead = take(fd, rules_.fallback);
    if (instead.file)
      instead.file->is_fallback = true;
    return instead.file ? std::move(instead) : std::move(result);
  }

private:
  found search(std::string_view below) {
    const auto name = file_path(below, rules_.dotfiles);
    if (!name)
      return {};
    const auto fd = open_beneath(root_, *name, rules_.symlinks, O_RDONLY);
    if (fd < 0)
      return {kind_of_error(errno), nullptr, {}};
    struct stat facts {};
    if (::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
      const shared_file folder{fd};
      return asks_for_directory(below) ? search_folder(folder.fd(), *name)
                                       : found{found_kind::directory, nullptr, {}};
    }
    if (asks_for_directory(below)) {
      ::close(fd);
      return {};
    }
    return take(fd, *name);
  }

  found search_folder(int folder, const std::string& name) {
    const auto prefix = name == "." ? std::string{} : name + "/";
    for (const auto& index : rules_.index) {
      const auto fd = open_beneath(root_, prefix + index, rules_.symlinks, O_RDONLY);
      if (fd < 0 && kind_of_error(errno) != found_kind::not_found)
        return {kind_of_error(errno), nullptr, {}};
      if (fd < 0)
        continue;
      if (auto result = take(fd, prefix + index); result.kind != found_kind::not_found)
        return result;
    }
    if (!rules_.listing)
      return {found_kind::forbidden, nullptr, {}};
    const auto open = [&](const std::string& entry) {
      return open_beneath(root_, prefix + entry, rules_.symlinks, O_PATH);
    };
    auto page = list_folder(folder, path_, rules_.dotfiles, open);
    return page ? found{found_kind::page, nullptr, std::move(*page)}
                : found{kind_of_error(errno), nullptr, {}};
  }

  // Takes over `fd`.
  found take(int fd, const std::string& name) {
    file_form form;
    form.file = std::make_shared<shared_file>(fd);
    struct stat facts {};
    if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
      return {};
    describe(facts, form);
    load_small(form);
    found result{found_kind::file, std::make_shared<file_entry>(), {}};
    result.file->type = mime_type(name, rules_.types);
    result.file->forms.push_back(std::move(form));
    add_siblings(*result.file, name);
    return result;
  }

  void add_siblings(file_entry& entry, const std::string& name) {
    for (const auto which : rules_.precompressed) {
      const auto fd =
          open_beneath(root_, name + std::string{sibling_suffix(which)}, rules_.symlinks, O_RDONLY);
      if (fd < 0)
        continue;
      file_form form;
      form.file = std::make_shared<shared_file>(fd);
      struct stat facts {};
      if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        continue;
      describe(facts, form);
      form.facts.form = which;
      if (form.facts.mtime_ns < entry.forms.front().facts.mtime_ns)
        continue; // made from an older version
      load_small(form);
      entry.forms.push_back(std::move(form));
    }
  }

  // A small file is kept as it is now, without a descriptor; what does not fit its size any more is
  // sent from the file.
  static void load_small(file_form& form) {
    if (form.facts.size <= limits::http::file_memory_bytes)
      form.content = read_whole(*form.file, form.facts.size);
    if (form.content)
      form.file = nullptr;
  }

  const file_rules& rules_;
  std::string_view path_;
  int root_ = -1;
};

} // namespace

int open_beneath(int root, const std::string& name, symlinks rule, uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  if ((flags & O_PATH) == 0)
    how.flags |= O_NOCTTY | O_NONBLOCK; // a FIFO must not wait for its writer
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (rule == symlinks::none)
    how.resolve |= RESOLVE_NO_SYMLINKS;
  long fd = -1;
  for (int i = 0; i < tries_max; ++i) {
    fd = ::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
      break;
  }
  return static_cast<int>(fd);
}

found find_file(const file_rules& rules, std::string_view below, std::string_view path) {
  return finder{rules, path}.run(below);
}

std::optional<std::string> read_whole(const shared_file& file, uint64_t size) {
  std::string result(size, '\0');
  size_t done = 0;
  while (done < size) {
    const auto n = ::pread(file.fd(), result.data() + done, size - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return std::nullopt;
    done += static_cast<size_t>(n);
  }
  struct stat facts {};
  if (::fstat(file.fd(), &facts) != 0 || static_cast<uint64_t>(facts.st_size) != size)
    return std::nullopt;
  return result;
}

bool is_unchanged(const file_form& form) {
  struct stat facts {};
  if (::fstat(form.file->fd(), &facts) != 0)
    return false;
  return static_cast<uint64_t>(facts.st_size) == form.facts.size &&
         ns(facts.st_mtim) == form.facts.mtime_ns;
}

caf::error check_root(const std::string& root) {
  const shared_file folder{::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd() < 0)
    return caf::make_error(errc::invalid_config, "files root " + root + ": " +
                                                     std::strerror(errno) +
                                                     ", expected a directory");
  return caf::none;
}

} // namespace caf_app::http
