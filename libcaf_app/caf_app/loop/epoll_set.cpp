#include "caf_app/loop/epoll_set.hpp"

#include <unistd.h>

#include <cerrno>

#include "caf_app/base/assert.hpp"

namespace caf_app {

epoll_set::epoll_set() : fd_(::epoll_create1(EPOLL_CLOEXEC)) { CAF_APP_ASSERT(fd_ >= 0); }

epoll_set::~epoll_set() { ::close(fd_); }

int epoll_set::add(int fd, uint32_t events, poll_handler& handler) noexcept {
  epoll_event entry{};
  entry.events = events;
  entry.data.ptr = &handler;
  return ::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &entry) == 0 ? 0 : errno;
}

void epoll_set::change(int fd, uint32_t events, poll_handler& handler) noexcept {
  epoll_event entry{};
  entry.events = events;
  entry.data.ptr = &handler;
  const auto result = ::epoll_ctl(fd_, EPOLL_CTL_MOD, fd, &entry);
  CAF_APP_ASSERT(result == 0);
}

void epoll_set::remove(int fd, const poll_handler& handler) noexcept {
  const auto result = ::epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr);
  CAF_APP_ASSERT(result == 0);
  for (auto i = next_; i < count_; ++i)
    if (found_[i].data.ptr == &handler)
      found_[i].data.ptr = nullptr;
}

void epoll_set::wait(int timeout_ms) noexcept {
  CAF_APP_ASSERT(next_ == count_);
  const auto n = ::epoll_wait(fd_, found_.data(), static_cast<int>(found_.size()), timeout_ms);
  CAF_APP_ASSERT(n >= 0 || errno == EINTR);
  next_ = 0;
  count_ = n > 0 ? static_cast<size_t>(n) : 0;
}

void epoll_set::dispatch() noexcept {
  while (next_ < count_) {
    const auto& entry = found_[next_++];
    if (entry.data.ptr)
      static_cast<poll_handler*>(entry.data.ptr)->on_poll(entry.events);
  }
}

} // namespace caf_app
