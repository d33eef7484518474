#include "caf_app/cluster/link_wire.hpp"

#include <utility>

namespace caf_app {

link_wire::link_wire(event_loop& loop, int fd, stream_owner& owner)
    : socket_(stream_socket::open(loop, fd, owner)) {}

void link_wire::secure(std::unique_ptr<tls_session> session) {
  tls_ = std::move(session);
  send_ciphertext();
}

std::string_view link_wire::receive(std::span<const char> bytes) {
  if (!tls_)
    return {bytes.data(), bytes.size()};
  plaintext_.clear();
  tls_->receive({bytes.data(), bytes.size()}, plaintext_);
  send_ciphertext();
  return plaintext_;
}

void link_wire::write(std::string_view bytes) {
  if (!socket_ || bytes.empty())
    return;
  if (!tls_)
    return socket_->write(bytes);
  tls_->write(bytes);
  send_ciphertext();
}

void link_wire::send_ciphertext() {
  const auto waiting = tls_->pending_output();
  if (socket_ && !waiting.empty())
    socket_->write(waiting);
  tls_->sent(waiting.size());
}

std::string link_wire::failure() const {
  if (!tls_ || tls_->state() == tls_state::handshaking || tls_->state() == tls_state::open)
    return {};
  return tls_->state() == tls_state::closed ? "closed by the peer" : tls_->failure();
}

std::optional<std::vector<std::string>> link_wire::certified_names() const {
  if (!tls_)
    return std::nullopt;
  return tls_->info().peer_names;
}

void link_wire::finish() {
  if (!socket_)
    return;
  if (tls_) {
    tls_->shut_down();
    send_ciphertext();
  }
  socket_->shutdown_write();
}

void link_wire::close() {
  if (auto* socket = std::exchange(socket_, nullptr))
    socket->close();
}

} // namespace caf_app
