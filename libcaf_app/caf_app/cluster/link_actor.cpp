#include "caf_app/cluster/link_actor.hpp"

#include <unistd.h>

#include <cstring>
#include <utility>

#include <caf/send.hpp>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::milliseconds closing_time{1000}; // for the last bytes of a link
constexpr int batches_per_turn = 16;                    // then others on the loop have theirs

} // namespace

link_actor::link_actor(caf::actor_config& config, event_loop* loop, std::weak_ptr<link_host> host,
                       link_start start)
    : loop_app_actor(config, loop), host_(std::move(host)), start_(std::move(start)),
      deadline_([this] { on_deadline(); }), stall_([this] { check_stall(); }) {}

link_actor::~link_actor() {
  if (start_.fd >= 0)
    ::close(start_.fd); // never began
}

bool link_actor::cleanup(caf::error&& reason, caf::execution_unit* unit) {
  deadline_.cancel();
  stall_.cancel();
  if (channel_)
    end_link("the link was stopped");
  wire_.reset();
  return loop_app_actor::cleanup(std::move(reason), unit);
}

caf::behavior link_actor::make_behavior() {
  if (const auto host = host_.lock())
    begin(*host);
  else
    quit();
  return {[](caf::tick_atom) {}};
}

// -- beginning ------------------------------------------------------------------------------

void link_actor::begin(link_host& host) {
  wire_.emplace(*loop(), std::exchange(start_.fd, -1), static_cast<stream_owner&>(*this));
  loop()->timers().arm(deadline_, loop()->now() + host.limits().handshake_timeout);
  if (start_.role == link_role::dialler && host.client_tls())
    wire_->secure(std::make_unique<tls_session>(host.client_tls(), start_.expected_peer));
  else if (start_.role == link_role::listener && host.server_tls())
    wire_->secure(std::make_unique<tls_session>(host.server_tls()));
  else
    begin_handshake(host);
}

void link_actor::begin_handshake(link_host& host) {
  auto greeting = host.greeting(start_.role, start_.expected_peer);
  greeting.certified_names = wire_->certified_names();
  handshake_.emplace(std::move(greeting));
  wire_->write(handshake_->start());
}

// -- the socket -------------------------------------------------------------------------------

void link_actor::on_data(std::span<const char> bytes) {
  const auto host = host_.lock();
  if (!host || closing_ || !wire_)
    return;
  const auto text = wire_->receive(bytes);
  if (!handshake_ && wire_->open())
    begin_handshake(*host);
  if (!text.empty() && reader_) {
    reader_->append(text);
    read_frames(*host);
  } else if (!text.empty() && handshake_) {
    shake_hands(*host, text);
  }
  const auto failure = wire_->failure(); // last: a peer says why before it closes
  if (failure.empty() || closing_)
    return;
  if (channel_)
    end_link("TLS: " + failure);
  else
    refuse({refusal::authentication, "TLS: " + failure}, false);
}

void link_actor::on_end() {
  if (channel_)
    end_link("closed by the peer");
  else if (!closing_)
    refuse({refusal::protocol_error, "closed during the handshake"}, false);
  else
    quit_later();
}

void link_actor::on_failed(int error) {
  if (channel_)
    end_link(std::strerror(error));
  else if (!closing_)
    refuse({refusal::none, std::strerror(error)}, false);
  else
    quit_later();
}

void link_actor::on_exception() { end_link("an exception in a socket callback"); }

void link_actor::on_drained() {
  if (!closing_)
    flush();
}

// -- the handshake ------------------------------------------------------------------------------

void link_actor::shake_hands(link_host& host, std::string_view bytes) {
  const auto answer = handshake_->feed(bytes);
  if (wire_)
    wire_->write(answer);
  switch (handshake_->current()) {
    case link_handshake::state::greeting:
    case link_handshake::state::proving: return;
    case link_handshake::state::established: return establish(host);
    case link_handshake::state::refused:
      return refuse(handshake_->reason(), handshake_->refused_by_peer());
  }
}

void link_actor::establish(link_host& host) {
  deadline_.cancel();
  reader_ = handshake_->take_reader();
  channel_ = host.link_up(*this, *this, handshake_->peer());
  if (!channel_)
    return refuse({refusal::leaving, "the node ends"}, false);
  loop()->timers().arm(stall_, loop()->now() + host.limits().stall_timeout / checks_per_stall);
  channel_->express(wire_ ? wire_->plain_fd() : -1);
  flush();
  read_frames(host);
}

void link_actor::on_deadline() {
  if (closing_)
    return quit_later();
  if (handshake_ && wire_)
    wire_->write(handshake_->expire());
  refuse({refusal::timeout, handshake_ ? "no handshake in time" : "no TLS handshake in time"},
         false);
}

// -- output ---------------------------------------------------------------------------

void link_actor::flush() {
  for (int i = 0; channel_ && wire_ && wire_->queued() == 0; ++i) {
    if (i == batches_per_turn) {
      loop()->post([channel = channel_] { channel->flush(); });
      return;
    }
    out_.clear();
    if (channel_->take(out_, limits::cluster::batch_bytes) == 0)
      return;
    wire_->write(out_);
  }
}

// A peer that takes nothing of what waits for a whole stall_timeout is cut.
void link_actor::check_stall() {
  const auto host = host_.lock();
  if (!host || !channel_ || !wire_)
    return;
  const auto sent = wire_->sent_bytes();
  if (wire_->queued() == 0 || sent != sent_at_check_)
    stalled_checks_ = 0;
  else if (++stalled_checks_ == checks_per_stall)
    return end_link("the peer takes nothing");
  sent_at_check_ = sent;
  loop()->timers().arm(stall_, loop()->now() + host->limits().stall_timeout / checks_per_stall);
}

// -- the end ------------------------------------------------------------------------------------

void link_actor::cut(const std::string& why) {
  flush();
  if (const auto channel = std::exchange(channel_, nullptr))
    channel->close();
  if (!closing_ && wire_)
    finish();
}

void link_actor::end_link(const std::string& why) {
  const auto channel = std::exchange(channel_, nullptr);
  if (!channel)
    return;
  channel->close();
  if (const auto host = host_.lock())
    host->link_down(*this, channel->peer(), why);
  finish();
}

void link_actor::refuse(refused_body why, bool by_peer) {
  if (closing_)
    return;
  if (const auto host = host_.lock())
    host->no_link(start_.expected_peer, start_.address, why, by_peer);
  finish();
}

// What was written leaves if the peer takes it soon: it may say why the link ends.
void link_actor::finish() {
  if (std::exchange(closing_, true))
    return;
  stall_.cancel();
  if (!wire_)
    return;
  wire_->finish();
  loop()->timers().arm(deadline_, loop()->now() + closing_time);
}

void link_actor::begin_end() {
  if (channel_)
    end_link("the link is stopped");
  else if (!closing_)
    quit_later();
}

// Socket callbacks and timers run outside of message handlers, where an actor cannot quit.
void link_actor::quit_later() {
  deadline_.cancel();
  if (wire_)
    wire_->close();
  caf::anon_send_exit(address(), caf::exit_reason::user_shutdown);
}

} // namespace caf_app
