#include "caf_app/loop/acceptor.hpp"

#include <cerrno>

#include "caf_app/loop/event_loop.hpp"

namespace caf_app {

acceptor* acceptor::open(event_loop& loop, listen_socket_ptr socket, accept_owner& owner) {
  return new acceptor(loop, std::move(socket), owner);
}

acceptor::acceptor(event_loop& loop, listen_socket_ptr socket, accept_owner& owner)
    : loop_(loop), socket_(std::move(socket)), owner_(&owner), retry_([this] { resume(); }) {
  loop_.socket_added();
  resume();
}

acceptor::~acceptor() { loop_.socket_removed(); }

void acceptor::pause() {
  retry_.cancel();
  if (accepting_) {
    accepting_ = false;
    loop_.polls().remove(socket_->fd(), *this);
  }
}

void acceptor::resume() {
  retry_.cancel();
  if (accepting_ || !owner_)
    return;
  accepting_ = loop_.polls().add(socket_->fd(), EPOLLIN, *this) == 0;
  if (!accepting_)
    loop_.timers().arm(retry_, loop_.now() + pause_for_descriptors);
}

void acceptor::on_poll(uint32_t events) noexcept {
  if (!owner_ || !accepting_)
    return;
  try {
    if ((events & EPOLLIN) == 0) {
      pause_after(EIO);
      return;
    }
    for (int i = 0; i < accepts_per_event && owner_ && accepting_; ++i)
      if (accept_one() == outcome::nothing_left)
        return;
  } catch (...) {
    if (owner_)
      owner_->on_accept_exception();
  }
}

acceptor::outcome acceptor::accept_one() {
  socket_address peer;
  peer.size = sizeof peer.storage;
  const auto fd = ::accept4(socket_->fd(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    owner_->on_accept(fd, peer);
    return outcome::accepted;
  }
  switch (const auto error = errno; error) {
    case EAGAIN: return outcome::nothing_left;
    // The connection died in the queue (accept(2), "Error handling"): the next one may live.
    case EINTR:
    case ECONNABORTED:
    case ENETDOWN:
    case EPROTO:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
    case EPERM: return outcome::failed_connection;
    default: pause_after(error); return outcome::nothing_left;
  }
}

void acceptor::pause_after(int error) {
  const auto was_accepting = accepting_;
  pause();
  if (was_accepting)
    loop_.timers().arm(retry_, loop_.now() + pause_for_descriptors);
  owner_->on_accept_paused(error);
}

size_t acceptor::drain_queue() {
  size_t count = 0;
  while (owner_) {
    switch (accept_one()) {
      case outcome::accepted: ++count; break;
      case outcome::failed_connection: break;
      case outcome::nothing_left: return count;
    }
  }
  return count;
}

void acceptor::close() {
  if (!owner_)
    return;
  owner_ = nullptr;
  pause();
  loop_.post([this] { delete this; }); // this may be running in one of its callbacks
}

} // namespace caf_app
