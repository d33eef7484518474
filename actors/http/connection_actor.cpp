#include "actors/http/connection_actor.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "caf_app/base/error.hpp"

namespace caf_app::http {

connection_actor::connection_actor(caf::actor_config& cfg, event_loop* loop,
                                   std::shared_ptr<loop_context> context,
                                   std::shared_ptr<listener_state> listener, int fd,
                                   const socket_address& peer)
    : connection_base(cfg, loop), context_(std::move(context)), listener_(std::move(listener)),
      fd_(fd), peer_(peer), secure_(listener_->tls && context_->tls), since_(context_->now),
      timer_([this] { on_timer(); }) {
  ++context_->connections;
  listener_->clients.insert(this);
  if (context_->table->limits().max_per_ip > 0)
    ++context_->per_address[host_of(peer_)];
  if (secure_) {
    shaking_ = true;
    ++context_->handshakes;
  }
}

connection_actor::~connection_actor() {
  if (fd_ >= 0)
    ::close(fd_);
}

caf::behavior connection_actor::make_behavior() {
  socket_ = stream_socket::open(*loop(), std::exchange(fd_, -1), *this);
  if (!secure_ && !context_->table->config().h2c)
    start_h1(); // which refuses everything else by itself, but for TLS
  update_timer();
  return {[this](caf::close_atom) { quit(); }}; // from end()
}

// However the actor ends: the socket and the books are put in order here.
void connection_actor::on_exit() {
  if (!ended_) {
    if (listener_->draining && session_ && !session_->idle())
      context_->counters->cut_by_drain.add();
    lose(listener_->draining ? close_reason::drained : close_reason::crashed);
  }
  if (session_) // cancels what is open, although messages in flight may keep this object for a
                // while
    session_->release();
  end_handshake();
  timer_.cancel();
  if (tls_)
    tls_->release();
  if (socket_)
    std::exchange(socket_, nullptr)->close();
  listener_->clients.erase(this);
  --context_->connections;
  if (auto i = context_->per_address.find(host_of(peer_)); i != context_->per_address.end())
    if (--i->second == 0)
      context_->per_address.erase(i);
}

exchange* connection_actor::find_open(uint64_t exchange_id) {
  return !ended_ && session_ ? session_->find_open(exchange_id) : nullptr;
}

void connection_actor::settle() {
  if (!ended_ && session_)
    session_->settle();
  update_timer();
}

client_protocol connection_actor::protocol() const {
  if (h2_)
    return client_protocol::h2;
  return h1_ ? client_protocol::h1 : client_protocol::unknown;
}

// Runs one callback of the socket or the wheel, then asks the session when it wants to be called
// next.
template <class F>
void connection_actor::guarded(F call) {
  if (ended_)
    return;
  call();
  update_timer();
}

void connection_actor::drain(nudge_cause why) {
  guarded([&] {
    if (session_)
      session_->drain(why);
  });
}

void connection_actor::on_data(std::span<const char> bytes) {
  guarded([&] {
    if (tls_)
      decrypt(bytes);
    else if (h1_ && !h1_->begun() && recognise({bytes.data(), bytes.size()}) == greeting::tls)
      h1_->refuse_connection(fault::tls_mismatch);
    else if (session_)
      session_->on_data(bytes);
    else
      greet(bytes);
  });
}

void connection_actor::on_end() {
  guarded([this] {
    if (session_ && !tls_ended_)
      session_->on_end();
    else if (!session_)
      end(stage_ == stage::refused ? close_reason::rejected : close_reason::client);
  });
}

void connection_actor::on_drained() {
  guarded([this] {
    const auto empty = !tls_ || tls_->on_drained();
    if (tls_ && tls_->file_ended())
      lose(close_reason::aborted);
    else if (session_ && empty)
      session_->on_drained();
  });
}

void connection_actor::on_failed(int) { lose(close_reason::failed); }

void connection_actor::lose(close_reason reason) {
  if (session_)
    session_->on_lost(reason);
  end(reason); // if the session did not
}

void connection_actor::on_exception() {
  context_->log->error(speaker_of(this), "exception in a connection; it closes");
  if (tls_)
    tls_->release();
  if (socket_)
    std::exchange(socket_, nullptr)->abort();
  eq_impl(caf::make_message_id(), nullptr, loop(),
          caf::exit_msg{address(), caf::make_error(errc::handler_failed)});
  lose(close_reason::crashed);
}

void connection_actor::on_timer() {
  timer_due_ = steady::time_point::max();
  try {
    guarded([this] { on_due(); });
  } catch (...) {
    on_exception();
  }
}

// The timer only moves when the deadline came closer; one that moved away is found out when the
// timer fires. So a busy keep-alive connection does not touch the wheel.
void connection_actor::update_timer() {
  if (ended_)
    return;
  const auto due = deadline();
  if (due >= timer_due_)
    return;
  timer_due_ = due;
  loop()->timers().arm(timer_, due);
}

void connection_actor::send(std::string_view bytes) {
  if (!socket_)
    return;
  if (tls_)
    tls_->write(bytes);
  else
    socket_->write(bytes);
}

void connection_actor::send_file(std::string_view bytes, shared_file_ptr file, uint64_t offset,
                                 uint64_t length) {
  if (!socket_)
    return;
  if (tls_)
    tls_->write_file(bytes, std::move(file), offset, length);
  else
    socket_->write_file(bytes, std::move(file), offset, length);
}

ptrdiff_t connection_actor::read(const shared_file& file, uint64_t offset, std::span<char> out) {
  ssize_t got = 0;
  do
    got = ::pread(file.fd(), out.data(), out.size(), static_cast<off_t>(offset));
  while (got < 0 && errno == EINTR);
  return got;
}

uint64_t connection_actor::queued() const {
  if (!socket_)
    return 0;
  return tls_ ? tls_->queued() : socket_->queued();
}

void connection_actor::pause_reading() {
  if (socket_)
    socket_->pause_reading();
}

void connection_actor::resume_reading() {
  if (socket_)
    socket_->resume_reading();
}

void connection_actor::finish_output() {
  if (socket_ && tls_)
    tls_->finish();
  else if (socket_)
    socket_->shutdown_write();
}

// May be called from a socket callback, where an actor must not quit: a message ends it.
void connection_actor::end(close_reason reason) {
  if (ended_)
    return;
  ended_ = true;
  timer_.cancel();
  end_handshake();
  context_->counters->closed(reason);
  if (reason == close_reason::crashed)
    context_->counters->crashes.add();
  if (tls_ && socket_ && reason != close_reason::aborted)
    tls_->say_goodbye();
  if (tls_)
    tls_->release();
  if (socket_ && reason == close_reason::aborted) // FIN could pass for the end of the content
    std::exchange(socket_, nullptr)->abort();
  else if (socket_)
    std::exchange(socket_, nullptr)->close();
  eq_impl(caf::make_message_id(), nullptr, loop(), caf::close_atom_v);
}

bool connection_actor::broken() const { return !socket_ || socket_->broken(); }

bool connection_actor::has_input() const {
  int waiting = 0;
  return socket_ && ::ioctl(socket_->fd(), FIONREAD, &waiting) == 0 && waiting > 0;
}

std::string_view connection_actor::peer() const {
  if (peer_text_.empty())
    peer_text_ = to_string(peer_);
  return peer_text_;
}

} // namespace caf_app::http
