#include "actors/http/upstream_link_handler.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace caf_app::http {

std::unique_ptr<upstream_link> upstream_link::open(event_loop& loop, const socket_address& address,
                                                   size_t server, const upstream_plan& plan) {
  std::unique_ptr<upstream_link> result{new upstream_link(server)};
  const auto fd = ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    result->opening_ = opening::no_descriptor;
    return result;
  }
  const int on = 1;
  result->is_tcp_ = address.family() != AF_UNIX;
  if (result->is_tcp_)
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, address.get(), address.size) == 0) {
    result->connected_ = true;
  } else if (errno != EINPROGRESS) {
    result->opening_ = errno == EAGAIN ? opening::busy : opening::refused;
    ::close(fd);
    return result;
  }
  result->socket_ = stream_socket::open(loop, fd, *result);
  result->socket_->read_before_failing();
  if (plan.config.servers[server].scheme == upstream_scheme::https)
    result->tls_.emplace(plan.tls, plan.tls_name(server), *result->socket_);
  return result;
}

upstream_link::~upstream_link() {
  if (gone_)
    *gone_ = true;
  die();
}

void upstream_link::die() noexcept {
  if (tls_)
    tls_->release();
  if (socket_)
    std::exchange(socket_, nullptr)->close();
}

void upstream_link::die_idle() {
  die();
  if (home_)
    home_->on_idle_end();
}

bool upstream_link::is_connected() const noexcept {
  if (tls_)
    return connected_ && tls_->session().state() != tls_state::handshaking;
  return connected_ || (socket_ && socket_->sent_bytes() > 0);
}

bool upstream_link::has_input() const noexcept {
  char byte = 0;
  return !socket_ || (tls_ && !borders_.at_border()) ||
         ::recv(socket_->fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

// What an idle server sends may be on its way when a request is written. It is told from an answer
// by TCP: who answers has acknowledged a byte of the request, and that comes with the answer or
// before it. On a Unix socket nothing is on its way: has_input() has seen it.
bool upstream_link::is_unasked() noexcept {
  if (!std::exchange(was_idle_, false) || !is_tcp_)
    return false;
  int unacknowledged = 0;
  return ::ioctl(socket_->fd(), SIOCOUTQ, &unacknowledged) == 0 &&
         static_cast<uint64_t>(unacknowledged) >= sent_for_user();
}

void upstream_link::write(std::string_view bytes) {
  if (!socket_)
    return;
  if (!tls_)
    socket_->write(bytes);
  else if (tls_->session().state() == tls_state::handshaking)
    held_.append(bytes);
  else
    tls_->write(bytes);
}

void upstream_link::finish_output() {
  if (!socket_)
    return;
  if (tls_)
    tls_->finish();
  else
    socket_->shutdown_write();
}

uint64_t upstream_link::queued() const noexcept {
  if (!socket_)
    return 0;
  return held_.size() + (tls_ ? tls_->queued() : socket_->queued());
}

void upstream_link::on_data(std::span<const char> bytes) {
  if (tls_)
    return decrypt(bytes);
  connected_ = true;
  if (!user_)
    die_idle(); // nobody has asked for anything
  else if (is_unasked())
    on_failed(EPROTO);
  else
    user_->on_bytes(bytes);
}

// The user may drop the link, or give it back, in each of its calls.
void upstream_link::decrypt(std::span<const char> bytes) {
  const auto shaking = tls_->session().state() == tls_state::handshaking;
  plaintext_.clear();
  borders_.pass(bytes);
  const auto state = tls_->receive(bytes, plaintext_);
  if (state == tls_state::failed)
    return on_failed(EPROTO);
  auto gone = false;
  gone_ = &gone;
  if (shaking && state != tls_state::handshaking) {
    connected_ = true;
    tls_->write(std::exchange(held_, {}));
    if (user_)
      user_->on_sent();
  }
  if (!gone && !plaintext_.empty()) {
    const auto text = std::exchange(plaintext_, {});
    if (user_ && is_unasked()) {
      gone_ = nullptr;
      return on_failed(EPROTO);
    }
    if (user_)
      user_->on_bytes(text);
    else
      die_idle(); // nobody has asked for anything; a session ticket is no plaintext
  }
  if (gone)
    return;
  gone_ = nullptr;
  if (state == tls_state::closed && !std::exchange(ended_, true))
    end();
}

void upstream_link::on_end() {
  if (tls_ && tls_->session().state() != tls_state::closed)
    return on_failed(ECONNRESET); // without close_notify anybody could have cut it
  if (!std::exchange(ended_, true))
    end();
}

void upstream_link::end() {
  if (user_)
    user_->on_upstream_end();
  else
    die_idle();
}

void upstream_link::on_drained() {
  if (tls_) {
    const auto empty = tls_->on_drained();
    if (!empty || tls_->session().state() == tls_state::handshaking)
      return;
  }
  connected_ = true;
  if (user_)
    user_->on_sent();
}

void upstream_link::on_failed(int error) {
  if (!user_)
    return die_idle();
  die();
  user_->on_upstream_failed(error);
}

void upstream_link::on_exception() { on_failed(EPROTO); }

} // namespace caf_app::http
