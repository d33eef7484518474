#include "actors/http/access_log_actor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace caf_app::http {

namespace {

constexpr std::chrono::milliseconds flush_period{100};
constexpr size_t write_bytes_max = 64 * 1024; // whole lines per write
constexpr mode_t log_mode = 0640;
constexpr log_speaker speaker{"access_log"};

/// With errno if it is not open.
append_file open_for_appending(const std::string& path) {
  if (path == "-")
    return append_file{::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)};
  return append_file::open(path, log_mode);
}

} // namespace

caf::expected<std::shared_ptr<access_log>> access_log::open(std::string path, counter& dropped,
                                                            logger_ptr log) {
  auto file = open_for_appending(path);
  if (!file.is_open())
    return caf::make_error(errc::start_failed, "access log " + path + ": " + std::strerror(errno));
  return std::shared_ptr<access_log>{
      new access_log(std::move(path), std::move(file), dropped, std::move(log))};
}

access_log::~access_log() { flush(); }

void access_log::write(std::string line) {
  const std::lock_guard guard{queue_mutex_};
  if (queue_.size() >= lines_max)
    dropped_.add();
  else
    queue_.push_back(std::move(line));
}

caf::error access_log::reopen() {
  auto file = open_for_appending(path_);
  if (!file.is_open())
    return caf::make_error(errc::io_failed, "access log " + path_ + ": " + std::strerror(errno));
  const std::lock_guard guard{file_mutex_};
  file_ = std::move(file);
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
  for (size_t i = 0; i < lines.size(); ++i) {
    block += lines[i];
    if (i + 1 < lines.size() && block.size() + lines[i + 1].size() <= write_bytes_max)
      continue;
    append(block);
    block.clear();
  }
}

// What does not fit on a full disk is lost: what comes later may fit, and is worth more by then.
void access_log::append(std::string_view block) {
  const auto done = file_.append(block);
  const auto rest = block.substr(done.bytes);
  note(static_cast<size_t>(std::count(rest.begin(), rest.end(), '\n')), done.error);
}

// A disk stays full for long: one line of the log says so, one that it is over.
void access_log::note(size_t lost, int error) {
  if (lost > 0) {
    if (lost_ == 0)
      log_->error(speaker, "lines of the access log are lost",
                  {{"path", path_}, {"reason", std::strerror(error)}});
    lost_ += lost;
    dropped_.add(lost);
  } else if (lost_ > 0) {
    log_->warning(speaker, "the access log is written again", {{"path", path_}, {"lost", lost_}});
    lost_ = 0;
  }
}

caf::behavior access_log_actor(named_actor<"http.access_log">* self,
                               std::shared_ptr<access_log> log) {
  self->attach_functor([log](const caf::error&) { log->flush(); });
  self->delayed_send(self, flush_period, caf::flush_atom_v);
  return {[self, log](caf::flush_atom) {
    log->flush();
    self->delayed_send(self, flush_period, caf::flush_atom_v);
  }};
}

} // namespace caf_app::http
