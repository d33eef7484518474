#include "caf_app/base/append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace caf_app {

append_file append_file::open(const std::filesystem::path& path, mode_t mode) {
  constexpr auto how = O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;
  // Read, to see how it ends. Not so a pipe: it would never tell that its reader has gone.
  struct stat found {};
  const auto readable = ::stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode);
  const auto fd = readable ? ::open(path.c_str(), O_RDWR | how, mode) : -1;
  return append_file{fd >= 0 ? fd : ::open(path.c_str(), O_WRONLY | how, mode)};
}

append_file::~append_file() {
  if (fd_ >= 0)
    ::close(fd_);
}

append_file::append_file(append_file&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), sure_(other.sure_), torn_(other.torn_) {}

append_file& append_file::operator=(append_file&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(sure_, other.sure_);
  std::swap(torn_, other.torn_);
  return *this;
}

uint64_t append_file::size() const {
  struct stat now {};
  return ::fstat(fd_, &now) == 0 && S_ISREG(now.st_mode) ? static_cast<uint64_t>(now.st_size) : 0;
}

append_file::outcome append_file::append(std::string_view lines) {
  // Looked at in doubt only: while another process writes, a part of its line is all one sees.
  if (sure_ || ends_in_a_line())
    return put(lines);
  auto result = put("\n" + std::string{lines});
  result.bytes -= result.bytes > 0 ? 1 : 0;
  return result;
}

bool append_file::ends_in_a_line() const {
  struct stat now {};
  if (::fstat(fd_, &now) != 0 || !S_ISREG(now.st_mode))
    return !torn_;
  char last = '\n';
  if (now.st_size > 0 && ::pread(fd_, &last, 1, now.st_size - 1) != 1)
    return !torn_;
  return last == '\n';
}

append_file::outcome append_file::put(std::string_view bytes) {
  outcome result;
  while (result.bytes < bytes.size() && result.error == 0) {
    const auto rest = bytes.substr(result.bytes);
    const auto n = ::write(fd_, rest.data(), rest.size());
    if (n > 0)
      result.bytes += static_cast<size_t>(n);
    else if (n == 0 || errno != EINTR)
      result.error = n == 0 ? EIO : errno;
  }
  if (result.bytes > 0)
    torn_ = bytes[result.bytes - 1] != '\n';
  sure_ = result.error == 0;
  return result;
}

} // namespace caf_app
