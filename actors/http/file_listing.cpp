#include "actors/http/file_listing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "actors/http/listing.hpp"
#include "actors/http/uri.hpp"
#include "actors/http/file_limits.hpp"

namespace caf_app::http {

namespace {

struct descriptor {
  explicit descriptor(int fd) : fd(fd) {}
  ~descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  int fd;
};

std::optional<listing_entry> look_at(const std::string& name,
                                     const std::function<int(const std::string& name)>& open) {
  const descriptor file{open(name)};
  struct stat facts {};
  if (file.fd < 0 || ::fstat(file.fd, &facts) != 0)
    return std::nullopt;
  if (!S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode))
    return std::nullopt;
  return listing_entry{name, S_ISDIR(facts.st_mode), static_cast<uint64_t>(facts.st_size),
                       std::chrono::sys_seconds{std::chrono::seconds{facts.st_mtim.tv_sec}}};
}

} // namespace

std::optional<std::string> list_folder(int folder, std::string_view path, dotfiles rule,
                                       const std::function<int(const std::string& name)>& open) {
  const auto copy = ::fcntl(folder, F_DUPFD_CLOEXEC, 0); // closedir() closes it
  if (copy < 0)
    return std::nullopt;
  const std::unique_ptr<DIR, int (*)(DIR*)> reader{::fdopendir(copy), ::closedir};
  if (!reader) {
    ::close(copy);
    return std::nullopt;
  }
  std::vector<listing_entry> entries;
  while (const auto* each = ::readdir(reader.get())) {
    const std::string name = each->d_name;
    if (name == "." || name == ".." || (name.front() == '.' && rule == dotfiles::hide))
      continue;
    if (auto entry = look_at(name, open))
      entries.push_back(std::move(*entry));
    if (entries.size() >= limits::http::listing_entries)
      break;
  }
  return list_directory(decode_path(path), std::move(entries));
}

} // namespace caf_app::http
