// Accepts the connections of one listening socket on one loop and supervises them: each becomes a
// connection_actor, a temporary child. Killing it closes its connections; the socket itself
// outlives it, so a restarted listener finds the clients that queued meanwhile.
//
//   accepting -> leaving (drain: accepts at least 2 s, until 1 s passed without a connection)
//             -> left (finishes its connections) -> ended, normally
//   leaving -> accepting, if the retirement is revoked in time (leave_gate)
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "actors/http/leave_gate.hpp"
#include "actors/http/loop_context.hpp"
#include "caf_app/loop/acceptor.hpp"
#include "caf_app/loop/loop_actor.hpp"
#include "caf_app/loop/reuseport_steer.hpp"
#include "caf_app/supervision/supervisor.hpp"

namespace caf_app::http {

/// Where a listener of one loop listens. Shared with those who steer it; outlives each incarnation.
struct listener_place : listener_state {
  std::atomic<listen_socket_ptr> socket; ///< null once it has left; any thread
  std::atomic<bool> has_to_leave{false}; ///< wanted: drain, then leave the port; any thread
  std::atomic<bool> left{false};         ///< no longer accepts; any thread
  std::atomic<bool> retires{false};      ///< leaves while others serve on: idle connections stay
  std::atomic<std::shared_ptr<leave_gate>> gate; ///< of the retirement; null: nobody revokes
  std::atomic<size_t> nudges{0};                 ///< connections that shall end soon; any thread
  std::shared_ptr<probe_book> probes;            ///< of the address; null: nobody steers
};

/// Open connections by client_protocol; [1] are those that are idle.
using connection_counts = std::array<std::array<int64_t, 2>, 3>;

class listener_actor final : public basic_supervisor<loop_actor<>>, private accept_owner {
public:
  using super = basic_supervisor<loop_actor<>>;

  listener_actor(caf::actor_config& cfg, event_loop* loop, supervisor_options options,
                 std::shared_ptr<loop_context> context, std::shared_ptr<listener_place> state);

  const char* name() const override { return "http.listener"; }
  void on_exit() override;

protected:
  caf::behavior make_behavior() override;

private:
  void on_accept(int fd, const socket_address& peer) override;
  void on_accept_paused(int error) override;
  void on_accept_exception() override;

  bool refuses(const socket_address& peer) const;
  void drain();
  void come_back();
  void leave_step();
  void nudge(size_t count);
  void on_tick();
  void leave_port();
  void measure_lag();
  void arm_tick();
  void count_connections();
  void show_connections(const connection_counts& counts);
  void make_room();
  bool is_full() const;

  listen_socket_ptr socket_; // null if an earlier incarnation has left
  std::shared_ptr<loop_context> context_;
  std::shared_ptr<listener_place> state_;
  counter& accepted_;
  acceptor* acceptor_ = nullptr;
  wheel_timer tick_;
  uint64_t connections_ = 0; // accepted so far
  steady::time_point tick_due_;
  int late_ticks_ = 0; // in a row
  unsigned ticks_ = 0;
  connection_counts shown_{}; // this listener's part of the gauges
  steady::time_point leaving_since_ = steady::time_point::max();
  std::shared_ptr<leave_gate> gate_; // of that retirement
  bool handshakes_stopped_ = false;
  steady::time_point last_accept_;
};

} // namespace caf_app::http
