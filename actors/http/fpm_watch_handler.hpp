// Asks one PHP-FPM for its status once per second, on connections of its own, for the scaler. A
// server that takes the question and does not answer within a second has no worker left for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/http/cgi_head.hpp"
#include "actors/http/fcgi_codec.hpp"
#include "actors/http/fpm_status.hpp"
#include "actors/http/upstream_link_handler.hpp"

namespace caf_app::http {

class fpm_watch final : private upstream_user {
public:
  /// Begins at once. @param address of the server, asked for each time
  /// @param on_status all zero: the server is too busy to answer; nothing: it does not answer with
  /// such a page
  fpm_watch(const upstream_plan& plan, size_t server, event_loop& loop,
            std::function<socket_address()> address,
            std::function<void(std::optional<fpm_status>)> on_status);

private:
  void on_bytes(std::span<const char> bytes) override;
  void on_upstream_end() override { finish(std::nullopt); }
  void on_sent() override {}
  void on_upstream_failed(int) override { finish(std::nullopt); }

  void on_timer();
  void ask();
  void finish(std::optional<fpm_status> status);

  const upstream_plan& plan_;
  size_t server_;
  event_loop& loop_;
  std::function<socket_address()> address_;
  std::function<void(std::optional<fpm_status>)> on_status_;
  fcgi_reader reader_;
  cgi_head_reader head_;
  bool has_head_ = false;
  std::string page_;
  std::unique_ptr<upstream_link> link_; // while a question is open
  wheel_timer timer_;
};

} // namespace caf_app::http
