#include "actors/http/listener_actor.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "actors/http/connection_actor.hpp"

namespace caf_app::http {

namespace {

constexpr std::chrono::milliseconds tick_period{100};
constexpr unsigned ticks_per_count = 10;       // looking at 10,000 connections takes a millisecond
constexpr std::chrono::seconds leave_min{2};   // half-open handshakes may need a second SYN-ACK
constexpr std::chrono::seconds leave_quiet{1}; // nobody new for that long: the port can be left
constexpr std::chrono::seconds leave_max{5}; // clients that keep coming have to find somebody else

} // namespace

listener_actor::listener_actor(caf::actor_config& cfg, event_loop* loop, supervisor_options options,
                               std::shared_ptr<loop_context> context,
                               std::shared_ptr<listener_place> state)
    : super(cfg, loop, std::move(options)), socket_(state->socket), context_(std::move(context)),
      state_(std::move(state)),
      accepted_(context_->counters->registry.counter(
          "caf_http_accepted_total", "Accepted connections.",
          {{"listener", socket_ ? to_string(socket_->address()) : "none"}})),
      tick_([this] { on_tick(); }) {}

caf::behavior listener_actor::make_behavior() {
  if (socket_)
    acceptor_ = acceptor::open(*loop(), socket_, *this);
  last_accept_ = context_->now;
  state_->on_handshake_end = [this] { make_room(); };
  arm_tick();
  return super::make_behavior();
}

void listener_actor::on_exit() {
  tick_.cancel();
  show_connections({});
  state_->on_handshake_end = nullptr;
  if (acceptor_)
    std::exchange(acceptor_, nullptr)->close();
  super::on_exit();
}

bool listener_actor::refuses(const socket_address& peer) const {
  const auto max = context_->table->limits().max_per_ip;
  if (max == 0)
    return false;
  const auto i = context_->per_address.find(host_of(peer));
  return i != context_->per_address.end() && i->second >= max;
}

void listener_actor::on_accept(int fd, const socket_address& peer) {
  if (state_->probes && state_->probes->note(peer.port())) {
    ::close(fd); // our own question where connections land
    return;
  }
  if (refuses(peer)) {
    context_->counters->rejected(fault::per_ip);
    ::close(fd);
    return;
  }
  accepted_.add();
  last_accept_ = context_->now;
  auto connection = spawn_on<connection_actor>(system(), loop(), context_, state_, fd, peer);
  adopt("conn-" + std::to_string(++connections_), std::move(connection));
  if (!is_full())
    return;
  const auto& limits = context_->table->limits();
  (context_->connections >= limits.max_connections ? context_->counters->pauses_limit
                                                   : context_->counters->pauses_handshakes)
      .add();
  acceptor_->pause();
}

bool listener_actor::is_full() const {
  const auto& table = *context_->table;
  return context_->connections >= table.limits().max_connections ||
         (state_->tls && context_->handshakes >= table.config().tls.max_handshakes);
}

// Called when something has ended, by a tick or by a handshake.
void listener_actor::make_room() {
  if (acceptor_ && acceptor_->paused() && !is_full() && leaving_since_ == steady::time_point::max())
    acceptor_->resume();
}

void listener_actor::on_accept_paused(int error) {
  context_->counters->pauses_descriptors.add();
  context_->log->warning(speaker_of(this), "accepting pauses: no descriptors left",
                         {{"error", std::strerror(error)}});
}

void listener_actor::on_accept_exception() {
  eq_impl(caf::make_message_id(), nullptr, loop(),
          caf::exit_msg{address(), caf::make_error(errc::handler_failed)});
}

void listener_actor::drain() {
  auto gate = state_->gate.load();
  if (leaving_since_ != steady::time_point::max() && gate == gate_)
    return;
  gate_ = std::move(gate); // another retirement begins anew
  leaving_since_ = context_->now;
  state_->draining = true;
  state_->keeps_idle = state_->retires;
  for (auto* client : state_->clients)
    client->drain(nudge_cause::drain);
}

// What was asked to go goes; who comes now may stay.
void listener_actor::come_back() {
  leaving_since_ = steady::time_point::max();
  gate_ = nullptr;
  state_->draining = false;
  state_->keeps_idle = false;
}

// Those that are busy first: they are the ones that move load.
void listener_actor::nudge(size_t count) {
  for (const auto idle : {false, true})
    for (auto* client : state_->clients)
      if (count > 0 && client->idle() == idle) {
        client->drain(nudge_cause::rebalance);
        --count;
      }
}

// Looks after what no event tells: room for connections again, and the end of leaving.
void listener_actor::on_tick() {
  measure_lag();
  arm_tick();
  if (ticks_++ % ticks_per_count == 0)
    count_connections();
  if (const auto count = state_->nudges.exchange(0))
    nudge(count);
  if (state_->has_to_leave)
    drain();
  else if (leaving_since_ != steady::time_point::max())
    come_back();
  if (leaving_since_ == steady::time_point::max())
    make_room();
  else
    leave_step();
}

void listener_actor::leave_step() {
  const auto& limits = context_->table->limits();
  const auto leaving_for = context_->now - leaving_since_;
  const auto quiet = context_->now - last_accept_ >= leave_quiet;
  if (acceptor_ && handshakes_stopped_) {
    leave_port();
  } else if (acceptor_ && leaving_for >= leave_min && (quiet || leaving_for >= leave_max) &&
             (!gate_ || gate_->close())) {
    stop_handshakes(*socket_);
    handshakes_stopped_ = true;
  }
  if (!acceptor_ && (state_->clients.empty() || leaving_for >= limits.drain_deadline)) {
    context_->counters->drain_seconds.observe(to_seconds(leaving_for));
    eq_impl(caf::make_message_id(), nullptr, loop(),
            caf::exit_msg{address(), caf::exit_reason::user_shutdown});
  }
}

void listener_actor::arm_tick() {
  tick_due_ = context_->now + tick_period;
  loop()->timers().arm(tick_, tick_due_);
}

// A tick that comes late twice in a row says that the loop cannot keep up.
void listener_actor::measure_lag() {
  const auto late = context_->now - tick_due_ > context_->table->limits().shed_lag;
  late_ticks_ = late ? late_ticks_ + 1 : 0;
  context_->overloaded = late_ticks_ >= 2;
}

void listener_actor::count_connections() {
  connection_counts counts{};
  for (const auto* client : state_->clients)
    ++counts[static_cast<size_t>(client->protocol())][client->idle() ? 1 : 0];
  show_connections(counts);
}

void listener_actor::show_connections(const connection_counts& counts) {
  for (size_t protocol = 0; protocol < counts.size(); ++protocol)
    for (size_t idle = 0; idle < 2; ++idle)
      context_->counters->connections[protocol][idle]->add(
          counts[protocol][idle] - std::exchange(shown_[protocol][idle], counts[protocol][idle]));
}

void listener_actor::leave_port() {
  acceptor_->drain_queue();
  std::exchange(acceptor_, nullptr)->close();
  state_->socket = socket_ = nullptr;
  state_->left = true;
}

} // namespace caf_app::http
