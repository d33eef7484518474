#include "actors/eval/runtime/process/channel.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace caf_app::eval {

namespace {

constexpr size_t read_bytes = size_t{64} << 10;
constexpr size_t descriptors_max = 4; // in one message

} // namespace

channel::channel(int fd, size_t payload_max, bool busy_poll) : fd_(fd), reader_(payload_max) {
  if (busy_poll)
    busy_poll_.emplace();
}

channel::~channel() { close(); }

void channel::close() {
  for (auto fd : descriptors_)
    ::close(fd);
  descriptors_.clear();
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
}

int channel::take_descriptor() {
  if (descriptors_.empty())
    return -1;
  const auto fd = descriptors_.front();
  descriptors_.erase(descriptors_.begin());
  return fd;
}

channel::event channel::receive(frame& to, int timeout_ms) {
  for (;;) {
    switch (reader_.next(to)) {
      case frame_reader::state::ready: return event::frame;
      case frame_reader::state::broken: return event::broken;
      case frame_reader::state::more: break;
    }
    if (auto what = read_more(timeout_ms); what != event::frame)
      return what;
  }
}

channel::event channel::read_more(int timeout_ms) {
  pollfd waiting{fd_, POLLIN, 0};
  if (timeout_ms >= 0 && ::poll(&waiting, 1, timeout_ms) <= 0)
    return event::timeout;
  char buffer[read_bytes];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * descriptors_max)];
  iovec part{buffer, sizeof(buffer)};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t got = -1;
  int fault = 0;
  const auto take = [&](int how) {
    got = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC | how);
    fault = got < 0 ? errno : 0;
    return fault != EAGAIN;
  };
  const auto take_at_once = [&] { return take(MSG_DONTWAIT); };
  if (timeout_ms >= 0 || !busy_poll_ ||
      !busy_poll_->find(std::chrono::steady_clock::now, take_at_once))
    take(0);
  if (got < 0)
    return fault == EINTR || fault == EAGAIN ? event::timeout : event::closed;
  if (got == 0)
    return event::closed;
  for (auto head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
      continue;
    const auto count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      descriptors_.push_back(fd);
    }
  }
  reader_.feed({buffer, static_cast<size_t>(got)});
  return event::frame;
}

bool channel::send(frame_kind kind, uint64_t id, std::string_view front, std::string_view back,
                   int descriptor) {
  const auto head = frame_head(kind, id, front.size() + back.size());
  iovec parts[3] = {{const_cast<char*>(head.data()), head.size()},
                    {const_cast<char*>(front.data()), front.size()},
                    {const_cast<char*>(back.data()), back.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  size_t first = 0;
  while (first < 3) {
    msghdr message{};
    message.msg_iov = parts + first;
    message.msg_iovlen = 3 - first;
    if (descriptor >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof(control);
      auto attached = CMSG_FIRSTHDR(&message);
      attached->cmsg_level = SOL_SOCKET;
      attached->cmsg_type = SCM_RIGHTS;
      attached->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(attached), &descriptor, sizeof(int));
    }
    auto sent = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    descriptor = -1; // it went with the first bytes
    while (first < 3 && static_cast<size_t>(sent) >= parts[first].iov_len)
      sent -= static_cast<ssize_t>(parts[first++].iov_len);
    if (first < 3) {
      parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + sent;
      parts[first].iov_len -= static_cast<size_t>(sent);
    }
  }
  return true;
}

} // namespace caf_app::eval
