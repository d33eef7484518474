#include "caf_app/loop/watched_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "caf_app/loop/event_loop.hpp"

namespace caf_app {

watched_fd* watched_fd::open(event_loop& loop, int fd, std::function<void()> on_readable) {
  const auto duplicate = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0)
    return nullptr;
  auto* result = new watched_fd(loop, duplicate, std::move(on_readable));
  if (loop.polls().add(duplicate, EPOLLIN, *result) == 0)
    return result;
  delete result;
  return nullptr;
}

watched_fd::watched_fd(event_loop& loop, int duplicate, std::function<void()> on_readable)
    : loop_(loop), fd_(duplicate), on_readable_(std::move(on_readable)) {
  loop_.socket_added();
}

watched_fd::~watched_fd() {
  ::close(fd_);
  loop_.socket_removed();
}

void watched_fd::on_poll(uint32_t) noexcept {
  if (on_readable_) {
    const auto call = on_readable_; // it may close this
    call();
  }
}

void watched_fd::close() {
  if (!on_readable_)
    return;
  on_readable_ = nullptr;
  loop_.polls().remove(fd_, *this);
  loop_.post([this] { delete this; }); // this may be running in its callback
}

} // namespace caf_app
