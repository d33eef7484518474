#include "caf_app/loop/stream_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "caf_app/loop/event_loop.hpp"

namespace caf_app {

namespace {

constexpr int reads_per_event = 4; // then the other sockets have their turn

// recv(2) without the C library's cancellation point: two locked operations per call, for threads
// that nobody cancels.
ssize_t receive(int fd, std::span<char> buffer) noexcept {
  return ::syscall(SYS_recvfrom, fd, buffer.data(), buffer.size(), 0, nullptr, nullptr);
}

int pending_error(int fd) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

} // namespace

stream_socket* stream_socket::open(event_loop& loop, int fd, stream_owner& owner) {
  return new stream_socket(loop, fd, owner);
}

stream_socket::stream_socket(event_loop& loop, int fd, stream_owner& owner)
    : loop_(loop), fd_(fd), owner_(&owner), want_read_(true) {
  loop_.socket_added();
  const auto error = loop_.polls().add(fd_, wanted_events(), *this);
  watched_ = error == 0;
  if (error != 0)
    fail_later(error);
}

stream_socket::~stream_socket() { loop_.socket_removed(); }

uint32_t stream_socket::wanted_events() const noexcept {
  return EPOLLIN | EPOLLRDHUP | EPOLLET | (watches_room_ ? uint32_t{EPOLLOUT} : 0U);
}

void stream_socket::make_edges_again() {
  if (watched_)
    loop_.polls().change(fd_, wanted_events(), *this);
}

void stream_socket::pause_reading() { want_read_ = false; }

void stream_socket::resume_reading() {
  if (want_read_ || ended_ || failed_ || !owner_)
    return;
  want_read_ = true;
  if (std::exchange(unread_, false))
    make_edges_again();
}

void stream_socket::on_poll(uint32_t events) noexcept {
  if (!owner_ || failed_)
    return;
  try {
    on_events(events);
  } catch (...) {
    if (owner_)
      owner_->on_exception();
  }
}

void stream_socket::on_events(uint32_t events) {
  if (salvages_ && (lost_ != 0 || (events & EPOLLERR) != 0)) {
    lost_ = lost_ != 0 ? lost_ : ECONNRESET;
    salvage();
    return;
  }
  if ((events & EPOLLERR) != 0 && (want_read_ || want_write_)) {
    const auto error = pending_error(fd_);
    fail(error != 0 ? error : EPIPE);
    return;
  }
  const auto waits = want_write_; // what is written meanwhile has an edge of its own to come
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && !ended_) {
    hung_up_ = hung_up_ || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    unread_ = true;
    if (want_read_)
      read_some();
  }
  if ((events & (EPOLLOUT | EPOLLHUP)) == 0 || !owner_ || failed_)
    return;
  if (waits && want_write_)
    write_some();
  else if (events == EPOLLOUT && !want_write_ && std::exchange(watches_room_, false))
    make_edges_again(); // a Unix socket tells of all that its peer reads
}

void stream_socket::read_some() {
  const auto buffer = loop_.scratch();
  for (int i = 0; i < reads_per_event && owner_ && want_read_; ++i) {
    const auto n = receive(fd_, buffer);
    if (n > 0) {
      // A short read has emptied the kernel's buffer, and what comes later is a new edge; only the
      // end of a peer that has hung up already is not.
      unread_ = static_cast<size_t>(n) == buffer.size() || hung_up_;
      owner_->on_data({buffer.data(), static_cast<size_t>(n)});
      if (!unread_)
        return;
    } else if (n == 0) {
      if (lost_ != 0) // while the owner wrote an answer
        return fail(lost_);
      unread_ = false;
      ended_ = true;
      want_read_ = false;
      owner_->on_end();
      return;
    } else if (errno != EINTR) {
      unread_ = false;
      if (errno != EAGAIN)
        fail(errno);
      return;
    }
  }
  if (unread_ && owner_ && want_read_)
    make_edges_again(); // the others first, then the rest
}

void stream_socket::give_up() {
  failed_ = true;
  output_.clear();
  want_read_ = want_write_ = false;
  stop_watching();
}

void stream_socket::stop_watching() {
  if (std::exchange(watched_, false))
    loop_.polls().remove(fd_, *this);
}

void stream_socket::fail(int error) {
  give_up();
  owner_->on_failed(error);
}

// For the calls that the owner makes: it would not expect to be called from within them. The job
// runs before the one that frees the object, which close() can only post after it.
void stream_socket::fail_later(int error) {
  if (salvages_) {
    lost_ = error;
    output_.clear();
    want_write_ = false;
  } else {
    give_up();
  }
  loop_.post([this, error] {
    if (!owner_)
      return;
    try {
      if (salvages_)
        salvage();
      else
        owner_->on_failed(error);
    } catch (...) {
      if (owner_)
        owner_->on_exception();
    }
  });
}

// What the peer had sent before it reset the connection lies in the kernel still; the error that
// recv() finds behind it is more precise than the first one, unless that one took it away: then
// there is an end that is none.
void stream_socket::salvage() {
  if (failed_)
    return;
  if (ended_)
    return fail(lost_);
  const auto buffer = loop_.scratch();
  unread_ = true; // whoever has paused comes back by resume_reading()
  while (owner_ && want_read_) {
    const auto n = receive(fd_, buffer);
    if (n > 0) {
      owner_->on_data({buffer.data(), static_cast<size_t>(n)});
    } else if (n == 0 || errno != EINTR) {
      if (n < 0 && errno != EAGAIN)
        lost_ = errno;
      fail(lost_);
      return;
    }
  }
}

// Asking for SO_ERROR would take the error away from who asks next.
bool stream_socket::broken() const noexcept {
  pollfd state{fd_, 0, 0};
  return failed_ || (::poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0);
}

void stream_socket::close() {
  if (!owner_)
    return;
  owner_ = nullptr;
  output_.clear();
  want_read_ = want_write_ = false;
  stop_watching();
  ::close(std::exchange(fd_, -1));
  loop_.post([this] { delete this; }); // this may be running in one of its callbacks
}

void stream_socket::abort() {
  if (!owner_)
    return;
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close();
}

} // namespace caf_app
