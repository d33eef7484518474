#include "actors/http/access_log_actor.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace caf_app::http {

namespace {

constexpr std::chrono::milliseconds flush_period{100};
constexpr size_t write_bytes_max = 64 * 1024; // whole lines per write
constexpr mode_t log_mode = 0640;

int open_for_appending(const std::string& path) {
  if (path == "-")
    return ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, log_mode);
}

} // namespace

caf::expected<std::shared_ptr<access_log>> access_log::open(std::string path, counter& dropped) {
  const auto fd = open_for_appending(path);
  if (fd < 0)
    return caf::make_error(errc::start_failed, "access log " + path + ": " + std::strerror(errno));
  return std::shared_ptr<access_log>{new access_log(std::move(path), fd, dropped)};
}

access_log::~access_log() {
  flush();
  ::close(fd_);
}

void access_log::write(std::string line) {
  const std::lock_guard guard{queue_mutex_};
  if (queue_.size() >= lines_max)
    dropped_.add();
  else
    queue_.push_back(std::move(line));
}

caf::error access_log::reopen() {
  const auto fd = open_for_appending(path_);
  if (fd < 0)
    return caf::make_error(errc::io_failed, "access log " + path_ + ": " + std::strerror(errno));
  const std::lock_guard guard{file_mutex_};
  ::close(std::exchange(fd_, fd));
  return caf::none;
}

void access_log::flush() {
  std::vector<std::string> lines;
  {
    const std::lock_guard guard{queue_mutex_};
    lines.swap(queue_);
  }
  const std::lock_guard guard{file_mutex_};
  std::string block;
  uint64_t in_block = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    block += lines[i];
    ++in_block;
    if (i + 1 < lines.size() && block.size() + lines[i + 1].size() <= write_bytes_max)
      continue;
    if (::write(fd_, block.data(), block.size()) != static_cast<ssize_t>(block.size()))
      dropped_.add(in_block); // a full disk: what did not fit is lost, what comes later may fit
    block.clear();
    in_block = 0;
  }
}

caf::behavior access_log_actor(app_actor* self, std::shared_ptr<access_log> log) {
  self->attach_functor([log](const caf::error&) { log->flush(); });
  self->delayed_send(self, flush_period, caf::flush_atom_v);
  return {[self, log](caf::flush_atom) {
    log->flush();
    self->delayed_send(self, flush_period, caf::flush_atom_v);
  }};
}

} // namespace caf_app::http
