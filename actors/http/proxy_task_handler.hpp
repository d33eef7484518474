// One proxied request: sends head and content as they come, and streams the answer. Heads are
// rewritten by proxy_head, servers and failures are upstream_call's.
//
//   (sending) interim* -> final head -> content -> done     the connection may go back into stock
//                    '--> 101 -> tunnel -> done             raw bytes in both directions
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/http/h1_response.hpp"
#include "actors/http/proxy_head.hpp"
#include "actors/http/upgrade.hpp"
#include "actors/http/upstream_call_handler.hpp"

namespace caf_app::http {

class proxy_task final : public upstream_call {
public:
  proxy_task(const route_entry& entry, exchange& open, std::shared_ptr<upstream_pool> pool,
             std::string key, proxy_request_head head, upgrade_wish wish);

  void on_body(std::span<const char> bytes) override;
  void on_trailers(std::span<const owned_field> trailers) override;
  void on_body_end() override;
  bool invites() const override { return false; }

private:
  void send_head(upstream_link& link) override;
  void send_content() override;
  bool is_whole() const override { return !content_sent_; }
  void receive(std::span<const char> bytes) override;
  void input_ended() override;
  void output_sent() override;
  void on_silence() override { open_.invite(); }
  void content_late() override;

  void send(std::string_view bytes);
  bool read_head(std::span<const char>& bytes);
  void pass_interim();
  void begin_tunnel(std::span<const char> bytes);
  void tunnel_bytes(std::span<const char> bytes);
  void answer(std::span<const char> bytes);
  bool answer_whole(const response& head, std::span<const char> bytes);
  void stream(std::span<const char> bytes);
  void finish(bool reusable);
  bool is_reusable(std::span<const char> rest);
  void wait_for_room();

  proxy_request_head head_;
  upgrade_wish wish_;
  const bool chunked_; // the content of the request
  const bool awaits_invitation_;
  bool content_sent_ = false;
  bool paused_ = false; // the client
  bool tunnel_ = false;
  size_t interims_ = 0;
  std::string pending_; // content that waits for a connection
  std::vector<owned_field> trailers_;
  h1_response_parser parser_;
  h1_response_body body_;
  steady::time_point active_; // last byte of a tunnel
};

} // namespace caf_app::http
