#include "actors/scaler/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace caf_app::scaler {

journal::journal(std::filesystem::path file) : file_(std::move(file)) { open(); }

journal::~journal() {
  if (fd_ >= 0)
    ::close(fd_);
}

void journal::open() {
  if (file_.empty())
    return;
  fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const auto end = fd_ < 0 ? 0 : ::lseek(fd_, 0, SEEK_END);
  bytes_ = end > 0 ? static_cast<uint64_t>(end) : 0;
}

bool journal::write(std::string_view line) {
  if (fd_ < 0)
    return file_.empty();
  if (bytes_ + line.size() + 1 > bytes_max && bytes_ > 0) {
    ::close(fd_);
    std::error_code ignored; // then it goes on in the same file
    std::filesystem::rename(file_, file_.string() + ".1", ignored);
    open();
  }
  const auto text = std::string{line} + '\n';
  const auto written = ::write(fd_, text.data(), text.size());
  bytes_ += written > 0 ? static_cast<uint64_t>(written) : 0;
  return written == static_cast<ssize_t>(text.size());
}

} // namespace caf_app::scaler
