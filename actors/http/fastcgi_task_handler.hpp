// One request for a script: finds the script, collects content of unknown length, sends records,
// reads records. Servers, waiting, deadlines and failures are upstream_call's.
//
//   finding (worker) -> (spooling: content without a length comes whole first) -> upstream_call
//
//   (sending) STDOUT* -> the script's head -> STDOUT* -> END     the connection may be kept
//        '--- STDERR: kept for the log, no failure
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "actors/http/body_buffer.hpp"
#include "actors/http/cgi_head.hpp"
#include "actors/http/fastcgi_script.hpp"
#include "actors/http/fcgi_codec.hpp"
#include "actors/http/upstream_call_handler.hpp"

namespace caf_app::http {

class fastcgi_task final : public upstream_call {
public:
  /// @param params all but what the script and the content decide
  fastcgi_task(const route_entry& entry, exchange& open, std::shared_ptr<upstream_pool> pool,
               std::string key, std::string params);
  ~fastcgi_task() override;

  /// Looks for the script on a worker. @param cache_key of what is found
  void find(std::string cache_key);

  /// @returns whether the exchange was answered
  bool use(fastcgi_script script);

  void on_body(std::span<const char> bytes) override;
  void on_body_end() override;

private:
  void send_head(upstream_link& link) override;
  void send_content() override;
  bool is_whole() const override { return !content_sent_; }
  void receive(std::span<const char> bytes) override;
  void input_ended() override { cut(outcome::failed); }
  void output_sent() override;

  bool knows_length() const noexcept { return content_length_ || !has_content_; }
  void respond_status(uint16_t status, std::span<const field> more = {});
  void redirect();
  void send_held();
  void note_error(std::string_view text);
  void log_errors();
  bool take_output(std::string_view bytes);
  void broken(uint16_t status, outcome how);
  void request_ended(bool clean);
  void respond_whole();
  void flush();
  std::vector<field> answer_fields() const;
  bool may_keep(bool clean);

  std::string params_;
  std::string path_;  // of the request, for a redirect
  std::string below_; // the route
  std::string query_;
  const bool has_content_;
  const std::optional<uint64_t> content_length_;
  fastcgi_script script_;
  bool found_ = false;

  std::optional<body_buffer> held_; // content that has not been sent yet
  uint64_t held_sent_ = 0;          // of it
  bool lost_content_ = false;       // there was no room for the file
  bool content_sent_ = false;       // at least some of it
  bool input_closed_ = false;       // the end of STDIN is sent
  bool paused_ = false;             // the client

  fcgi_reader reader_;
  cgi_head_reader head_;
  bool has_head_ = false;
  bool begun_ = false; // the response
  uint64_t sent_ = 0;  // of its content
  std::string output_; // of the script, not sent on yet
  std::string errors_; // of the script
  uint64_t error_bytes_ = 0;
};

} // namespace caf_app::http
