#include "caf_app/loop/acceptor.hpp"

#include <cerrno>

#include "caf_app/loop/event_loop.hpp"

namespace caf_app {

namespace net = caf::io::network;

acceptor* acceptor::open(event_loop& loop, listen_socket_ptr socket, accept_owner& owner) {
  return new acceptor(loop, std::move(socket), owner);
}

acceptor::acceptor(event_loop& loop, listen_socket_ptr socket, accept_owner& owner)
    : net::event_handler(loop.mux(), -1), loop_(loop), socket_(std::move(socket)), owner_(&owner),
      retry_([this] { resume(); }) {
  fd_ = socket_->fd();
  loop_.socket_added();
  resume();
}

acceptor::~acceptor() {
  fd_ = -1; // the listen_socket closes it
  loop_.socket_removed();
}

void acceptor::pause() {
  retry_.cancel();
  if (accepting_) {
    accepting_ = false;
    backend().del(net::operation::read, fd_, this);
  }
}

void acceptor::resume() {
  retry_.cancel();
  if (!accepting_ && owner_) {
    accepting_ = true;
    backend().add(net::operation::read, fd_, this);
  }
}

void acceptor::handle_event(net::operation op) {
  loop_.begin_pass();
  if (!owner_ || !accepting_)
    return;
  try {
    if (op != net::operation::read) {
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
  const auto fd = ::accept4(fd_, peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
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
  // The successor registers the same descriptor, and CAF merges changes of one descriptor into one,
  // whatever the handler.
  backend().handle_internal_events();
  destroy_if_idle();
}

void acceptor::removed_from_loop(net::operation) {
  if (!owner_)
    destroy_if_idle();
}

void acceptor::destroy_if_idle() {
  if (eventbf() != 0 || dying_)
    return;
  dying_ = true;
  loop_.post([this] { delete this; });
}

} // namespace caf_app
