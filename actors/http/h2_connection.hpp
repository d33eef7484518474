// The HTTP/2 side of one connection: an h2_session for frames and windows, an h2_exchange for each
// of its streams, and the deadlines of both. Sans-IO like h1_session: bytes and deadlines go
// through a transport, time comes from loop_context::now. RFC 9113.
//
//   open -> closing -> lingering -> closed     (GOAWAY sent; input is discarded until the client
//                                               has it)
//   any  -> closed                             (cut)
#pragma once

#include <memory>
#include <vector>

#include "actors/http/h2_exchange.hpp"
#include "actors/http/h2_session.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/transport.hpp"

namespace caf_app::http {

class h2_connection final : public protocol_session {
public:
  h2_connection(loop_context& context, const listener_state& listener, transport& transport);
  ~h2_connection() override;

  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_lost(close_reason reason) override { cut(reason); }
  void release() override;
  void on_deadline() override;
  steady::time_point deadline() const noexcept override;

  /// Both GOAWAYs; streams finish.
  void drain(nudge_cause why) override;
  bool idle() const noexcept override { return streams_.empty(); }
  exchange* find_open(uint64_t exchange_id) override;
  void settle() override;

private:
  enum class phase : uint8_t { open, lingering, closed };

  void serve();
  void handle_events();
  void handle(h2_event& event);
  void flush();
  void sweep();
  void note_progress() noexcept;
  void count_abuse();
  void shut_down(nudge_cause cause);
  void close_after_output();
  void end_if_sent();
  void cut(close_reason reason);
  void cancel_all(std::string_view why);
  h2_exchange* find(int32_t stream);
  steady::time_point streams_due() const noexcept;
  close_reason reason() const noexcept;

  loop_context& context_;
  const listener_state& listener_;
  transport& transport_;
  h2_session session_;
  h2_stream_host host_;
  std::vector<std::unique_ptr<h2_exchange>> streams_; // by number
  std::vector<h2_event> events_;
  phase phase_ = phase::open;
  bool serving_ = false;
  bool shutting_down_ = false;
  bool peer_ended_ = false;
  size_t requests_ = 0;
  uint64_t discarded_ = 0;
  uint64_t taken_ = 0; // bytes that the transport had got rid of when somebody looked
  uint64_t malformed_ = 0;
  steady::time_point opened_;
  steady::time_point since_; // idle, or lingering
  steady::time_point output_since_;
  steady::time_point streams_due_ = steady::time_point::max(); // never later than the first of them
  steady::duration age_max_;
};

} // namespace caf_app::http
