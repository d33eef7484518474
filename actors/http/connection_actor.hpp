// One client connection as a supervised actor of its loop: owns the socket, the deadlines and the
// protocol session, and ends with the connection. If a handler throws or somebody kills it, that
// one connection closes.
#pragma once

#include <memory>

#include "actors/http/connection_base.hpp"
#include "actors/http/h1_session.hpp"
#include "actors/http/loop_context.hpp"
#include "caf_app/loop/socket_address.hpp"
#include "caf_app/loop/stream_socket.hpp"

namespace caf_app::http {

class connection_actor final : public connection_base,
                               private listener_client,
                               private stream_owner,
                               private h1_transport {
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
  exchange* find_open(uint64_t exchange_id) override;
  void settle() override { update_timer(); }

  // listener_client
  void drain() override;
  bool idle() const override { return session_.idle(); }

  // stream_owner
  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_failed(int error) override;
  void on_exception() override;

  // h1_transport
  void send(std::string_view bytes) override;
  void send_file(std::string_view bytes, shared_file_ptr file, uint64_t offset,
                 uint64_t length) override;
  uint64_t queued() const override;
  void pause_reading() override;
  void resume_reading() override;
  void finish_output() override;
  void end(close_reason reason) override;
  bool broken() const override;
  bool has_input() const override;
  connection_base* owner() override { return this; }
  std::string_view peer() const override;

  template <class F>
  void guarded(F call);
  void on_timer();
  void update_timer();

  std::shared_ptr<loop_context> context_;
  std::shared_ptr<listener_state> listener_;
  int fd_; // until the socket has it
  socket_address peer_;
  mutable std::string peer_text_; // rendered when somebody asks
  stream_socket* socket_ = nullptr;
  h1_session session_;
  wheel_timer timer_;
  steady::time_point timer_due_ = steady::time_point::max(); // when timer_ fires, if armed
  bool ended_ = false;
};

} // namespace caf_app::http
