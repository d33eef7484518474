// How a connection_actor gets to its protocol: first bytes, TLS, ALPN.
#include "actors/http/connection_actor.hpp"

namespace caf_app::http {

namespace {

constexpr std::chrono::seconds drain_grace{1};  // for the first byte of who connected just now
constexpr uint64_t answers_enough = 256 * 1024; // of TLS itself, to a client that does not read

tls_result result_of(const tls_info& info) {
  if (info.version == "TLSv1.3")
    return info.resumed ? tls_result::v1_3_resumed : tls_result::v1_3;
  return info.resumed ? tls_result::v1_2_resumed : tls_result::v1_2;
}

} // namespace

// Until the first bytes tell, nothing is made for a client.
void connection_actor::greet(std::span<const char> bytes) {
  if (stage_ == stage::refused)
    return; // discarded, while the client reads its alert
  greeting_.append(bytes.data(), bytes.size());
  if (secure_) {
    const auto held = std::exchange(greeting_, {});
    if (!looks_like_text(held))
      return start_tls(held);
    end_handshake();
    start_h1();
    return h1_->refuse_connection(fault::tls_mismatch);
  }
  const auto what = recognise(greeting_);
  if (what == greeting::unclear)
    return;
  const auto held = std::exchange(greeting_, {});
  if (what == greeting::h2)
    start_h2();
  else
    start_h1();
  if (what == greeting::tls)
    h1_->refuse_connection(fault::tls_mismatch);
  else
    session_->on_data(held);
}

void connection_actor::start_h1() {
  stage_ = stage::talking;
  h1_.emplace(*context_, *listener_, static_cast<transport&>(*this));
  session_ = &*h1_;
}

void connection_actor::start_h2() {
  stage_ = stage::talking;
  h2_ = std::make_unique<h2_connection>(*context_, *listener_, static_cast<transport&>(*this));
  session_ = h2_.get();
  if (listener_->draining)
    session_->drain(nudge_cause::drain);
}

void connection_actor::start_tls(std::span<const char> bytes) {
  stage_ = stage::handshaking;
  tls_context_ = context_->tls;
  tls_ = std::make_unique<tls_stream>(tls_context_, *socket_);
  decrypt(bytes);
}

void connection_actor::decrypt(std::span<const char> bytes) {
  if (stage_ == stage::refused)
    return;
  auto& plaintext = context_->plaintext;
  plaintext.clear();
  const auto state = tls_->receive(bytes, plaintext);
  if (state == tls_state::failed && stage_ == stage::handshaking)
    return refuse_handshake(tls_result::failed);
  if (stage_ == stage::handshaking && state != tls_state::handshaking)
    finish_handshake();
  if (session_ && !plaintext.empty())
    session_->on_data(plaintext);
  if (ended_)
    return;
  if (state == tls_state::failed)
    return lose(close_reason::failed);
  if (state == tls_state::closed && !std::exchange(tls_ended_, true) && session_)
    session_->on_end();
  else if (!ended_ && socket_->queued() > answers_enough)
    socket_->pause_reading(); // until it has drained
}

void connection_actor::finish_handshake() {
  const auto& info = tls_->session().info();
  context_->counters->handshake(result_of(info));
  end_handshake();
  if (info.alpn == "h2")
    start_h2();
  else
    start_h1();
}

// Failed, refused or done: it does not count among those that run.
void connection_actor::end_handshake() {
  if (!std::exchange(shaking_, false))
    return;
  --context_->handshakes;
  if (listener_->on_handshake_end)
    listener_->on_handshake_end();
}

// The alert is on its way; closing at once could lose it.
void connection_actor::refuse_handshake(tls_result result) {
  context_->counters->handshake(result);
  context_->counters->rejected(fault::tls_handshake);
  end_handshake();
  if (result == tls_result::late)
    return end(close_reason::timeout);
  stage_ = stage::refused;
  since_ = context_->now;
  socket_->shutdown_write();
}

std::string_view connection_actor::tls_version() const {
  return tls_ ? std::string_view{tls_->session().info().version} : std::string_view{};
}

bool connection_actor::serves(std::string_view host) const {
  return !tls_ || tls_context_->serves(tls_->session().info().site, host);
}

steady::time_point connection_actor::deadline() const {
  const auto& table = *context_->table;
  switch (stage_) {
    case stage::talking: return session_->deadline();
    case stage::refused: return since_ + table.limits().linger;
    case stage::handshaking: return since_ + table.config().tls.handshake_timeout;
    case stage::greeting: break;
  }
  const auto due =
      since_ + (secure_ ? table.config().tls.handshake_timeout : table.limits().first_byte_timeout);
  return listener_->draining ? std::min(due, std::max(since_ + drain_grace, context_->now)) : due;
}

void connection_actor::on_due() {
  if (context_->now < deadline())
    return;
  switch (stage_) {
    case stage::talking: return session_->on_deadline();
    case stage::refused: return end(close_reason::rejected);
    case stage::handshaking: return refuse_handshake(tls_result::late);
    case stage::greeting: break;
  }
  if (listener_->draining)
    return end(close_reason::drained);
  if (secure_)
    return refuse_handshake(tls_result::late);
  context_->counters->rejected(fault::idle);
  end(close_reason::timeout);
}

} // namespace caf_app::http
