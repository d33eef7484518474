// One connection to a server of an upstream: cleartext or TLS, lent to one user at a time. What is
// spoken on it is the user's. But what the server sends unasked is nobody's answer: such a link
// ends instead of serving the next request.
//
//   open --> connecting --> connected --...--> dead
//      `--> dead at once (refused), or `busy`: a Unix socket whose backlog is full
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "actors/http/upstream_plan_handler.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/loop/event_loop.hpp"
#include "caf_app/loop/stream_socket.hpp"
#include "caf_app/loop/tls_borders.hpp"
#include "caf_app/loop/tls_stream.hpp"

namespace caf_app::http {

/// What a borrower hears of its connection, on the loop, never from within its own calls. It may
/// drop the connection meanwhile.
class upstream_user {
public:
  virtual void on_bytes(std::span<const char> bytes) = 0;

  /// The server has ended its output in order; with TLS by close_notify.
  virtual void on_upstream_end() = 0;

  /// The connection has come about, or what was queued is with the kernel.
  virtual void on_sent() = 0;

  /// The connection is lost; what came before has been told. @param error an errno value
  virtual void on_upstream_failed(int error) = 0;

protected:
  ~upstream_user() = default;
};

/// Where idle connections wait.
class upstream_home {
public:
  /// One of them is dead. Runs in a callback of that one.
  virtual void on_idle_end() = 0;

protected:
  ~upstream_home() = default;
};

/// On its loop only. Closes the connection when it goes.
class upstream_link final : private stream_owner {
public:
  enum class opening : uint8_t {
    under_way,
    refused, ///< at once; the link is dead
    busy,    ///< the backlog is full: the link is dead, another one may do later
    no_descriptor,
  };

  /// Begins to connect. Never null.
  static std::unique_ptr<upstream_link> open(event_loop& loop, const socket_address& address,
                                             size_t server, const upstream_plan& plan);
  ~upstream_link() override;
  upstream_link(const upstream_link&) = delete;
  upstream_link& operator=(const upstream_link&) = delete;

  opening how() const noexcept { return opening_; }

  /// @param user null: the link is idle, and dies as soon as anything comes. If it comes from its
  /// home, it fails if anything comes before the server has a byte of what the user writes
  void use(upstream_user* user) {
    was_idle_ = user && home_;
    user_ = user;
    home_ = nullptr;
    lent_at_ = sent();
  }

  /// The link is idle, and tells `home` when it has died.
  void rest(upstream_home& home) {
    use(nullptr);
    home_ = &home;
  }

  /// Index of the server in the configuration.
  size_t server() const noexcept { return server_; }

  bool is_dead() const noexcept { return !socket_; }

  /// Whether the server is known to be there; with TLS: whether the handshake is over.
  bool is_connected() const noexcept;

  /// Whether anything waits to be read, be it bytes, the rest of a TLS record, or an end: an idle
  /// link is useless then.
  bool has_input() const noexcept;

  /// Takes all of `bytes`. What is written before the connection has come about waits.
  void write(std::string_view bytes);

  /// Sends FIN, with TLS close_notify, after what is queued.
  void finish_output();

  /// Bytes that wait for the server.
  uint64_t queued() const noexcept;

  /// Bytes that the kernel has taken since the link was lent: with TLS also those of TLS.
  uint64_t sent_for_user() const noexcept { return sent() - lent_at_; }

  void pause() {
    if (socket_)
      socket_->pause_reading();
  }
  void resume() {
    if (socket_)
      socket_->resume_reading();
  }

  /// Why TLS has failed, for a log; empty if it has not.
  std::string_view tls_failure() const noexcept {
    return tls_ ? std::string_view{tls_->session().failure()} : std::string_view{};
  }

  bool reused = false; ///< it has served a request before
  steady::time_point opened{};
  steady::time_point idle_since{};

private:
  explicit upstream_link(size_t server) : server_(server) {}

  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_failed(int error) override;
  void on_exception() override;
  void decrypt(std::span<const char> bytes);
  bool is_unasked() noexcept;
  void end();
  void die() noexcept;
  void die_idle();
  uint64_t sent() const noexcept { return socket_ ? socket_->sent_bytes() : 0; }

  size_t server_;
  opening opening_ = opening::under_way;
  bool connected_ = false;
  bool is_tcp_ = false;
  bool was_idle_ = false; // before the user came, who has heard nothing yet
  bool ended_ = false;    // the server's output, as far as the user knows
  stream_socket* socket_ = nullptr;
  upstream_user* user_ = nullptr; // null: idle
  upstream_home* home_ = nullptr; // while it is
  uint64_t lent_at_ = 0;
  std::optional<tls_stream> tls_;
  tls_borders borders_;   // of what TLS has received
  std::string held_;      // plaintext that waits for the handshake
  std::string plaintext_; // what a pass of TLS has decrypted
  bool* gone_ = nullptr;  // to be set when this is destroyed
};

} // namespace caf_app::http
