#include "actors/http/connection_actor.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "caf_app/base/error.hpp"

namespace caf_app::http {

connection_actor::connection_actor(caf::actor_config& cfg, event_loop* loop,
                                   std::shared_ptr<loop_context> context,
                                   std::shared_ptr<listener_state> listener, int fd,
                                   const socket_address& peer)
    : connection_base(cfg, loop), context_(std::move(context)), listener_(std::move(listener)),
      fd_(fd), peer_(peer), session_(*context_, *listener_, *this), timer_([this] { on_timer(); }) {
  ++context_->connections;
  listener_->clients.insert(this);
  if (context_->table->limits().max_per_ip > 0)
    ++context_->per_address[host_of(peer_)];
}

connection_actor::~connection_actor() {
  if (fd_ >= 0)
    ::close(fd_);
}

caf::behavior connection_actor::make_behavior() {
  socket_ = stream_socket::open(*loop(), std::exchange(fd_, -1), *this);
  update_timer();
  return {[this](caf::close_atom) { quit(); }}; // from end()
}

// However the actor ends: the socket and the books are put in order here.
void connection_actor::on_exit() {
  if (!ended_) {
    if (listener_->draining && !session_.idle())
      context_->counters->cut_by_drain.add();
    session_.on_lost(listener_->draining ? close_reason::drained : close_reason::crashed);
  }
  session_.release(); // cancels what is open, although messages in flight may keep this object for
                      // a while
  timer_.cancel();
  if (socket_)
    std::exchange(socket_, nullptr)->close();
  listener_->clients.erase(this);
  --context_->connections;
  if (auto i = context_->per_address.find(host_of(peer_)); i != context_->per_address.end())
    if (--i->second == 0)
      context_->per_address.erase(i);
}

exchange* connection_actor::find_open(uint64_t exchange_id) {
  return !ended_ && session_.waits_for(exchange_id) ? &session_ : nullptr;
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

void connection_actor::drain() {
  guarded([this] { session_.drain(); });
}

void connection_actor::on_data(std::span<const char> bytes) {
  guarded([&] { session_.on_data(bytes); });
}

void connection_actor::on_end() {
  guarded([this] { session_.on_end(); });
}

void connection_actor::on_drained() {
  guarded([this] { session_.on_drained(); });
}

void connection_actor::on_failed(int) { session_.on_lost(close_reason::failed); }

void connection_actor::on_exception() {
  context_->log->error(speaker_of(this), "exception in a connection; it closes");
  if (socket_)
    std::exchange(socket_, nullptr)->abort();
  eq_impl(caf::make_message_id(), nullptr, loop(),
          caf::exit_msg{address(), caf::make_error(errc::handler_failed)});
  session_.on_lost(close_reason::crashed);
}

void connection_actor::on_timer() {
  timer_due_ = steady::time_point::max();
  try {
    guarded([this] {
      if (context_->now >= session_.deadline())
        session_.on_deadline();
    });
  } catch (...) {
    on_exception();
  }
}

// The timer only moves when the deadline came closer; one that moved away is found out when the
// timer fires. So a busy keep-alive connection does not touch the wheel.
void connection_actor::update_timer() {
  if (ended_)
    return;
  const auto due = session_.deadline();
  if (due >= timer_due_)
    return;
  timer_due_ = due;
  loop()->timers().arm(timer_, due);
}

void connection_actor::send(std::string_view bytes) {
  if (socket_)
    socket_->write(bytes);
}

void connection_actor::send_file(std::string_view bytes, shared_file_ptr file, uint64_t offset,
                                 uint64_t length) {
  if (socket_)
    socket_->write_file(bytes, std::move(file), offset, length);
}

uint64_t connection_actor::queued() const { return socket_ ? socket_->queued() : 0; }

void connection_actor::pause_reading() {
  if (socket_)
    socket_->pause_reading();
}

void connection_actor::resume_reading() {
  if (socket_)
    socket_->resume_reading();
}

void connection_actor::finish_output() {
  if (socket_)
    socket_->shutdown_write();
}

// May be called from a socket callback, where an actor must not quit: a message ends it.
void connection_actor::end(close_reason reason) {
  if (ended_)
    return;
  ended_ = true;
  timer_.cancel();
  context_->counters->closed(reason);
  if (reason == close_reason::crashed)
    context_->counters->crashes.add();
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
