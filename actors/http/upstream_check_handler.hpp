// Asks one server of an upstream again and again whether it is well, on a connection of its own.
#pragma once

#include <functional>
#include <memory>

#include "actors/http/h1_response.hpp"
#include "actors/http/upstream_health.hpp"
#include "actors/http/upstream_link_handler.hpp"
#include "actors/http/upstream_policy.hpp"

namespace caf_app::http {

/// A status of 2xx or 3xx within health.timeout is good. On one loop.
class upstream_check final : private upstream_user {
public:
  /// Begins at once. @param address of the server, asked for at each check
  /// @param on_change the server is up or down from now on
  upstream_check(const upstream_plan& plan, size_t server, event_loop& loop,
                 std::function<socket_address()> address,
                 std::function<void(server_health)> on_change);

private:
  void on_bytes(std::span<const char> bytes) override;
  void on_upstream_end() override { finish(server_verdict::bad); }
  void on_sent() override {}
  void on_upstream_failed(int) override { finish(server_verdict::bad); }

  void on_timer();
  void ask();
  void finish(server_verdict result);

  const upstream_plan& plan_;
  size_t server_;
  event_loop& loop_;
  std::function<socket_address()> address_;
  std::function<void(server_health)> on_change_;
  health_counter counter_;
  h1_response_parser parser_;
  std::unique_ptr<upstream_link> link_; // while a check runs
  wheel_timer timer_;
};

} // namespace caf_app::http
