// How a stream_socket writes: at once as long as it can, then when there is room.
#include "caf_app/loop/stream_socket.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace caf_app {

namespace {

// send(2) without the C library's cancellation point, as receive() reads.
ssize_t send_now(int fd, std::string_view bytes) noexcept {
  return ::syscall(SYS_sendto, fd, bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0);
}

} // namespace

// Room is an edge too, and comes only after the kernel's buffer was full: who has asked for it once
// goes on to be told, for a call less per response that does not fit.
void stream_socket::await_room() {
  want_write_ = true;
  if (!std::exchange(watches_room_, true))
    make_edges_again();
}

void stream_socket::write(std::string_view bytes) {
  if (failed_ || lost_ != 0 || !owner_ || bytes.empty())
    return;
  if (output_.empty()) {
    ssize_t n = 0;
    do
      n = send_now(fd_, bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN) {
      fail_later(errno);
      return;
    }
    if (n > 0) {
      sent_ += static_cast<uint64_t>(n);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    if (bytes.empty())
      return;
  }
  output_.push(bytes);
  await_room();
}

void stream_socket::write_file(std::string_view head, shared_file_ptr file, uint64_t offset,
                               uint64_t length) {
  if (failed_ || lost_ != 0 || !owner_)
    return;
  const auto idle = output_.empty();
  output_.push(head);
  output_.push(std::move(file), offset, length);
  if (idle)
    if (const auto error = flush())
      fail_later(error);
}

void stream_socket::write_some() {
  if (const auto error = flush())
    salvages_ ? fail_later(error) : fail(error);
  else if (!want_write_)
    owner_->on_drained();
}

/// @returns an errno value, 0 if all went well
int stream_socket::flush() {
  const auto before = output_.size();
  const auto result = output_.flush(fd_);
  const auto error = errno;
  sent_ += before - output_.size();
  switch (result) {
    case output_queue::flush_result::empty:
      want_write_ = false;
      if (end_after_output_)
        ::shutdown(fd_, SHUT_WR);
      return 0;
    case output_queue::flush_result::blocked: await_room(); return 0;
    case output_queue::flush_result::interrupted:
      want_write_ = watches_room_ = true;
      make_edges_again();
      return 0;
    case output_queue::flush_result::failed: return error;
    case output_queue::flush_result::file_ended: return EIO;
  }
  return EIO;
}

void stream_socket::shutdown_write() {
  if (failed_ || !owner_ || end_after_output_)
    return;
  end_after_output_ = true;
  if (output_.empty())
    ::shutdown(fd_, SHUT_WR);
}

} // namespace caf_app
