#include "caf_app/loop/output_queue.hpp"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "caf_app/base/limits.hpp"

namespace caf_app {

namespace {

constexpr size_t segments_per_write = 16;
constexpr size_t merge_below_bytes = 16 * 1024; // small pieces share a segment

} // namespace

shared_file::~shared_file() {
  if (fd_ >= 0)
    ::close(fd_);
}

void output_queue::push(std::string_view bytes) {
  if (bytes.empty())
    return;
  size_ += bytes.size();
  memory_ += bytes.size();
  if (!segments_.empty() && !segments_.back().file &&
      segments_.back().bytes.size() + bytes.size() <= merge_below_bytes) {
    segments_.back().bytes.append(bytes);
    return;
  }
  segments_.emplace_back().bytes = bytes;
}

void output_queue::push(std::string&& bytes) {
  if (bytes.size() < merge_below_bytes) {
    push(std::string_view{bytes});
    return;
  }
  size_ += bytes.size();
  memory_ += bytes.size();
  segments_.emplace_back().bytes = std::move(bytes);
}

void output_queue::push(shared_file_ptr file, uint64_t offset, uint64_t length) {
  if (length == 0)
    return;
  size_ += length;
  auto& last = segments_.emplace_back();
  last.file = std::move(file);
  last.offset = offset;
  last.length = length;
}

output_queue::flush_result output_queue::flush(int fd) {
  const auto before = size_;
  while (!segments_.empty()) {
    if (before - size_ >= limits::loop::write_bytes_per_event)
      return flush_result::interrupted;
    const auto result = segments_.front().file ? flush_file(fd) : flush_bytes(fd);
    if (result != flush_result::empty)
      return result;
  }
  return flush_result::empty;
}

output_queue::flush_result output_queue::flush_bytes(int fd) {
  std::array<iovec, segments_per_write> parts;
  size_t count = 0;
  size_t wanted = 0;
  bool more = false;
  for (auto& segment : segments_) {
    more = segment.file || count == parts.size();
    if (more)
      break;
    parts[count++] = {segment.bytes.data() + segment.done, segment.bytes.size() - segment.done};
    wanted += segment.bytes.size() - segment.done;
  }
  msghdr head{};
  head.msg_iov = parts.data();
  head.msg_iovlen = count;
  ssize_t sent = 0;
  do
    sent = ::sendmsg(fd, &head, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  while (sent < 0 && errno == EINTR);
  if (sent < 0)
    return errno == EAGAIN ? flush_result::blocked : flush_result::failed;
  drop_sent(static_cast<size_t>(sent));
  return static_cast<size_t>(sent) == wanted ? flush_result::empty : flush_result::blocked;
}

// A call that takes less than it was given need not have filled the socket: a signal, or SIGSTOP
// and SIGCONT, cut it short as well, and then no edge would come. Only EAGAIN says that one will.
output_queue::flush_result output_queue::flush_file(int fd) {
  auto& segment = segments_.front();
  const auto wanted = std::min(segment.length, limits::loop::write_bytes_per_event);
  ssize_t sent = 0;
  do {
    auto offset = static_cast<off_t>(segment.offset);
    sent = ::sendfile(fd, segment.file->fd(), &offset, wanted);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0)
    return errno == EAGAIN ? flush_result::blocked : flush_result::failed;
  if (sent == 0)
    return flush_result::file_ended;
  segment.offset += static_cast<uint64_t>(sent);
  segment.length -= static_cast<uint64_t>(sent);
  size_ -= static_cast<uint64_t>(sent);
  if (segment.length == 0)
    segments_.pop_front();
  return flush_result::empty;
}

void output_queue::drop_sent(size_t sent) {
  size_ -= sent;
  memory_ -= sent;
  while (sent > 0) {
    auto& segment = segments_.front();
    const auto rest = segment.bytes.size() - segment.done;
    if (sent < rest) {
      segment.done += sent;
      return;
    }
    sent -= rest;
    segments_.pop_front();
  }
}

void output_queue::clear() noexcept {
  segments_.clear();
  size_ = 0;
  memory_ = 0;
}

} // namespace caf_app
