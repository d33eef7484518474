#include "actors/http/body_buffer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace caf_app::http {

body_buffer::~body_buffer() {
  unmap();
  if (fd_ >= 0)
    ::close(fd_);
}

bool body_buffer::append(std::span<const char> bytes) {
  size_ += bytes.size();
  if (fd_ < 0 && size_ <= memory_max_) {
    memory_.append(bytes.data(), bytes.size());
    return true;
  }
  return (fd_ >= 0 || spool()) && write_all(bytes);
}

bool body_buffer::spool() {
  std::error_code failed;
  const auto folder = std::filesystem::temp_directory_path(failed);
  fd_ = ::open(failed ? "/tmp" : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0)
    return false;
  const auto ok = write_all(memory_);
  memory_ = {};
  return ok;
}

bool body_buffer::write_all(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

std::string_view body_buffer::view() {
  if (fd_ < 0)
    return memory_;
  if (mapped_size_ != size_) {
    unmap();
    auto* where = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_, 0);
    if (where == MAP_FAILED)
      return {};
    mapped_ = where;
    mapped_size_ = size_;
  }
  return {static_cast<const char*>(mapped_), size_};
}

void body_buffer::unmap() {
  if (mapped_)
    ::munmap(mapped_, mapped_size_);
  mapped_ = nullptr;
  mapped_size_ = 0;
}

} // namespace caf_app::http
