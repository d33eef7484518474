// One client connection as a supervised actor of its loop: owns the socket, TLS, the deadlines and
// the protocol session, and ends with the connection. If a handler throws or somebody kills it,
// that one connection closes.
//
//   greeting -> talking                      cleartext; the first bytes tell HTTP/1 from HTTP/2
//      |   '--> handshaking -> talking       TLS; ALPN tells
//      |            '--> refused             an alert is on its way
//      '---> talking                         the wrong one of both: HTTP/1 refuses it
#pragma once

#include <memory>
#include <optional>

#include "actors/http/connection_base.hpp"
#include "actors/http/greeting.hpp"
#include "actors/http/h1_session.hpp"
#include "actors/http/h2_connection.hpp"
#include "actors/http/loop_context.hpp"
#include "caf_app/loop/socket_address.hpp"
#include "caf_app/loop/stream_socket.hpp"
#include "caf_app/loop/tls_stream.hpp"

namespace caf_app::http {

/// A temporary child of its listener: it is never restarted.
class connection_actor final : public connection_base,
                               private listener_client,
                               private stream_owner,
                               private transport {
public:
  /// @param fd connected and non-blocking; is closed even if the actor never runs
  connection_actor(caf::actor_config& cfg, event_loop* loop, std::shared_ptr<loop_context> context,
                   std::shared_ptr<listener_state> listener, int fd, const socket_address& peer);
  ~connection_actor() override;

  const char* name() const override { return "http.connection"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  enum class stage : uint8_t { greeting, handshaking, talking, refused };

  exchange* find_open(uint64_t exchange_id) override;
  void settle() override;

  // listener_client
  void drain(nudge_cause why) override;
  bool idle() const override { return session_ && session_->idle(); }
  client_protocol protocol() const override;

  // stream_owner
  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_failed(int error) override;
  void on_exception() override;

  // transport
  void send(std::string_view bytes) override;
  void send_file(std::string_view bytes, shared_file_ptr file, uint64_t offset,
                 uint64_t length) override;
  ptrdiff_t read(const shared_file& file, uint64_t offset, std::span<char> out) override;
  uint64_t queued() const override;
  uint64_t sent() const override { return socket_ ? socket_->sent_bytes() : 0; }
  void pause_reading() override;
  void resume_reading() override;
  void finish_output() override;
  void end(close_reason reason) override;
  bool broken() const override;
  bool has_input() const override;
  connection_base* owner() override { return this; }
  std::string_view peer() const override;
  std::string_view tls_version() const override;
  bool serves(std::string_view host) const override;

  template <class F>
  void guarded(F call);
  void greet(std::span<const char> bytes);
  void start_h1();
  void start_h2();
  void start_tls(std::span<const char> bytes);
  void decrypt(std::span<const char> bytes);
  void finish_handshake();
  void end_handshake();
  void refuse_handshake(tls_result result);
  void lose(close_reason reason);
  steady::time_point deadline() const;
  void on_due();
  void on_timer();
  void update_timer();

  std::shared_ptr<loop_context> context_;
  std::shared_ptr<listener_state> listener_;
  int fd_; // until the socket has it
  socket_address peer_;
  mutable std::string peer_text_; // rendered when somebody asks
  stream_socket* socket_ = nullptr;
  stage stage_ = stage::greeting;
  bool secure_ = false;    // TLS is wanted
  bool shaking_ = false;   // counted among the handshakes of the loop
  bool tls_ended_ = false; // the client has sent close_notify
  bool ended_ = false;
  std::string greeting_; // the first bytes, while they are unclear
  std::shared_ptr<const tls_context> tls_context_;
  std::unique_ptr<tls_stream> tls_;
  std::optional<h1_session> h1_;
  std::unique_ptr<h2_connection> h2_;
  protocol_session* session_ = nullptr; // one of the two
  steady::time_point since_;            // the stage, but for talking
  wheel_timer timer_;
  steady::time_point timer_due_ = steady::time_point::max(); // when timer_ fires, if armed
};

} // namespace caf_app::http
