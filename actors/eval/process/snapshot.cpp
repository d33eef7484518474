#include "actors/eval/process/snapshot.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/eval/process/child.hpp"

namespace caf_app::eval {

namespace {

constexpr size_t depth_max = 64;

class walker {
public:
  std::optional<std::string> walk(owned_fd folder, const std::string& prefix, size_t depth) {
    if (depth > depth_max)
      return prefix + ": folders nest too deeply";
    std::unique_ptr<DIR, int (*)(DIR*)> list{::fdopendir(folder.get()), &::closedir};
    if (!list)
      return prefix + ": " + std::strerror(errno);
    const auto fd = folder.release(); // now the list's
    while (auto entry = ::readdir(list.get())) {
      const std::string name{entry->d_name};
      if (name == "." || name == ".." || name == ".git")
        continue;
      if (auto wrong = take(fd, name, prefix + name, depth))
        return wrong;
    }
    return std::nullopt;
  }

  std::vector<source_file> files;

private:
  std::optional<std::string> take(int folder, const std::string& name, const std::string& path,
                                  size_t depth) {
    struct stat what {};
    if (::fstatat(folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
      return path + ": " + std::strerror(errno);
    if (!S_ISDIR(what.st_mode) && !S_ISREG(what.st_mode))
      return path + ": links and special files are refused";
    const auto flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    owned_fd fd{::openat(folder, name.c_str(), flags | (S_ISDIR(what.st_mode) ? O_DIRECTORY : 0))};
    if (!fd)
      return path + ": " + std::strerror(errno);
    if (S_ISREG(what.st_mode))
      return read_file(fd.get(), path);
    if (name == "build" || ::faccessat(fd.get(), "CMakeCache.txt", F_OK, 0) == 0)
      return std::nullopt;
    return walk(std::move(fd), path + "/", depth + 1);
  }

  std::optional<std::string> read_file(int fd, const std::string& path) {
    struct stat what {};
    if (::fstat(fd, &what) != 0 || !S_ISREG(what.st_mode))
      return path + ": links and special files are refused";
    if (!is_plain_path(path))
      return path + ": a name that cannot be used";
    if (files.size() == source_files_max)
      return "more than " + std::to_string(source_files_max) + " files";
    source_file file{path, {}};
    char buffer[size_t{64} << 10];
    for (;;) {
      const auto got = ::read(fd, buffer, sizeof(buffer));
      if (got < 0)
        return path + ": " + std::strerror(errno);
      if (got == 0)
        break;
      bytes_ += static_cast<size_t>(got);
      if (bytes_ > source_bytes_max)
        return "more than " + std::to_string(source_bytes_max) + " bytes";
      file.content.append(buffer, static_cast<size_t>(got));
    }
    files.push_back(std::move(file));
    return std::nullopt;
  }

  size_t bytes_ = 0;
};

} // namespace

std::variant<std::vector<source_file>, std::string> snapshot_folder(const std::string& path) {
  owned_fd folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder)
    return path + ": " + std::strerror(errno);
  walker source;
  if (auto wrong = source.walk(std::move(folder), "", 0))
    return *wrong;
  std::sort(source.files.begin(), source.files.end(),
            [](auto& a, auto& b) { return a.path < b.path; });
  return std::move(source.files);
}

} // namespace caf_app::eval
