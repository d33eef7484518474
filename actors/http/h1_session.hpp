// The HTTP/1 side of one connection: takes received bytes apart into requests, routes them, runs
// their handlers and writes responses in order. Sans-IO: bytes, deadlines and their consequences go
// through a transport; time comes from loop_context::now. RFC 9112, RFC 9110.
//
//   idle -> head -> open -> answered -> idle ...            (next request)
//                   | |          '----> lingering -> closed (last response sent, input is
//                   | |                                     discarded)
//                   | '-> streaming -> answered             (content comes piece by piece)
//                   '-> sending -> answered                 (a file is on its way)
//   any -> closed                                           (cut: nothing more is sent)
//
// The next request is parsed only when the previous response is queued whole, so pipelined answers
// are in order by construction (RFC 9112 §9.3.2). What cannot be parsed yet waits in a stash of at
// most 64 KiB; beyond that the transport stops reading.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "actors/http/exchange.hpp"
#include "actors/http/h1_body.hpp"
#include "actors/http/h1_request.hpp"
#include "actors/http/h1_writer.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/transport.hpp"

namespace caf_app::http {

class h1_session final : public exchange, public protocol_session {
public:
  h1_session(loop_context& context, const listener_state& listener, transport& transport);
  ~h1_session() override;

  // -- protocol_session ---------------------------------------------------------------

  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_lost(close_reason reason) override { cut(fault::none, reason); }
  void release() override;
  void on_deadline() override;
  steady::time_point deadline() const noexcept override;

  /// An idle connection gets a second of grace, because a request may be on its way.
  void drain(nudge_cause why) override;
  bool idle() const noexcept override { return phase_ == phase::idle && stash_.empty(); }
  exchange* find_open(uint64_t exchange_id) override {
    return waits_for(exchange_id) ? this : nullptr;
  }
  void settle() override {}

  /// @returns whether a byte has arrived
  bool begun() const noexcept { return phase_ != phase::idle || requests_ > 0; }

  /// The first bytes were not HTTP/1 at all: answers as `why` says, then the connection ends.
  void refuse_connection(fault why);

  // -- exchange ---------------------------------------------------------------------

  const request_view& request() const override { return view_; }
  const route_entry& route() const override { return *route_; }
  loop_context& context() override { return context_; }
  connection_base* owner() override { return transport_.owner(); }
  uint64_t id() const override { return id_; }
  std::string_view peer() const override { return transport_.peer(); }
  void respond(const response& answer) override;
  void respond(const fixed_response& answer) override;
  void refuse(fault why, std::span<const field> fields) override;
  void respond_status(uint16_t status, std::span<const field> fields) override;
  void respond(const response& head, std::vector<content_part> content) override;
  void begin(const response& head, std::optional<uint64_t> length) override;
  void write(std::string_view bytes) override;
  bool has_room() const override;
  void finish(std::span<const field> trailers) override;
  void abort() override;
  void inform(uint16_t status, std::span<const field> fields) override;
  void invite() override;
  void tunnel(std::span<const field> fields) override;
  void note_upstream(std::chrono::microseconds waited) override;
  void note_cache(std::string_view how) override;
  void pause_content() override;
  void resume_content() override;

  /// @returns whether exchange `id` still waits for its answer, or for more of it
  bool waits_for(uint64_t id) const noexcept {
    return (phase_ == phase::open || phase_ == phase::streaming) && id == id_;
  }

private:
  enum class phase : uint8_t { idle, head, open, streaming, sending, answered, lingering, closed };

  size_t consume(std::span<const char> bytes);
  size_t consume_head(std::span<const char> bytes);
  size_t consume_body(std::span<const char> bytes);
  size_t discard(std::span<const char> bytes);
  bool can_consume() const noexcept;
  void pump(std::span<const char> bytes);
  void consume_all(std::span<const char> bytes);
  void stash(std::span<const char> rest);
  void flush();
  void hand_over(std::string_view bytes);
  void hand_over(content_part&& part);
  void note_progress();

  void begin_request();
  request_view view_of(const h1_request& head) const;
  void refuse_head(fault why);
  void dispatch(const h1_request& head);
  bool stays_open();
  bool is_refused(const h1_request& head);
  void body_ended();
  void answered(uint16_t status, uint64_t body_bytes);
  void answer_later(uint16_t status, uint64_t body_bytes);
  void after_answer();
  void end_sending() noexcept;
  void next_request();
  void input_ended();
  void close_after_output();
  void end_if_sent();
  steady::time_point rate_deadline() const noexcept;
  void probe_peer();
  void cut(fault why, close_reason reason);
  bool must_close() const noexcept;
  bool append_answer(const response& answer, h1_content framing, uint64_t length);
  void append_response(const response& answer);
  void count(uint16_t status, uint64_t body_bytes, std::string_view abort = {});
  void log(uint16_t status, uint64_t body_bytes, std::string_view abort);

  loop_context& context_;
  const listener_state& listener_;
  transport& transport_;
  phase phase_ = phase::idle;
  bool pumping_ = false;
  bool keep_alive_ = true;
  bool told_to_end_ = false; // by drain()
  bool head_only_ = false;
  bool awaits_continue_ = false; // the client waits for our 100
  bool peer_ended_ = false;
  bool more_input_ = false; // behind what is being consumed
  bool probed_ = false;
  bool body_done_ = true;
  bool content_paused_ = false;           // the handler takes no more for now
  bool tunnel_ = false;                   // streamed, without framing in either direction
  bool silent_ = false;                   // streamed, but its content is not sent
  bool writing_ = false;                  // counted as such
  uint16_t status_ = 0;                   // of a response that is streamed or sent
  h1_content framing_ = h1_content::none; // of a streamed one; none: until the close
  uint64_t promised_ = 0;                 // its length, if framing_ is that
  uint64_t sent_ = 0;                     // its content so far
  uint8_t minor_version_ = 1;
  uint64_t id_ = 0;
  size_t requests_ = 0;
  uint64_t discarded_ = 0;
  uint64_t received_ = 0;         // content of this request
  uint64_t taken_ = 0;            // bytes that the transport had got rid of when somebody looked
  steady::time_point since_;      // the phase, or the last progress of its content
  steady::time_point began_;      // the request
  steady::time_point body_began_; // as if it had never been paused
  steady::time_point paused_at_;
  steady::time_point drained_ = steady::time_point::max(); // since when its listener goes away
  steady::time_point output_since_;
  steady::time_point opened_;
  steady::duration age_max_;
  std::unique_ptr<h1_request_parser> parser_;
  h1_body body_;
  request_view view_;
  const route_entry* route_ = nullptr;
  site_table_ptr table_; // of the open request
  std::unique_ptr<exchange_task> task_;
  std::unique_ptr<exchange_task> finished_; // may still be on the call stack
  std::string stash_;
  struct log_facts;
  std::unique_ptr<log_facts> log_facts_; // if there is an access log
};

} // namespace caf_app::http
