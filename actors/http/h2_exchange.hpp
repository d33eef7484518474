// One stream of an HTTP/2 connection as its handler sees it. It routes the request, hands content
// to the task and gives window back as the task takes it, and answers through the h2_session.
//
//   open -> answered                      (the response is whole; the session sends the rest)
//     |  -> streaming -> answered         (content comes piece by piece)
//     |  -> sending -> answered           (files are read as the client takes them)
//     '--> cancelled                      (the client or a fault ended it, or nobody answers)
//
// `answered` and `cancelled` streams end with the session's last event of them; the connection then
// forgets them.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "actors/http/exchange.hpp"
#include "actors/http/h2_session.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/transport.hpp"

namespace caf_app::http {

/// What all streams of a connection share.
struct h2_stream_host {
  loop_context& context;
  const listener_state& listener;
  http::transport& transport;
  h2_session& session;

  /// Tasks that answered; they may be on the call stack.
  std::vector<std::unique_ptr<exchange_task>> finished;
};

class h2_exchange final : public exchange {
public:
  h2_exchange(h2_stream_host& host, int32_t stream, std::unique_ptr<h2_request> request);
  ~h2_exchange();

  h2_exchange(const h2_exchange&) = delete;
  h2_exchange& operator=(const h2_exchange&) = delete;

  // -- for the connection ------------------------------------------------------------

  int32_t stream() const noexcept { return stream_; }

  /// Finds the route and starts its handler.
  void start();

  void on_data(std::string_view bytes);
  void on_trailers(std::span<const owned_field> trailers);
  void on_end();
  void on_writable();

  /// The last byte of the response is on its way.
  void on_done();

  /// Nothing more comes or goes.
  void on_reset(std::string_view why);

  /// Calls the handler back if there is room that it has not heard of.
  void go_on();

  /// @returns whether the handler's answer, or more of it, is awaited
  bool waits() const noexcept { return phase_ == phase::open || phase_ == phase::streaming; }

  /// @returns whether the client was given up, but the work behind the request still runs: the
  /// stream keeps its place until with_open() is told that it is over
  bool fades() const noexcept { return fading_; }

  /// The work of a stream that fades is over.
  void work_ended();

  /// @returns whether nothing is left to do for this stream
  bool over() const noexcept { return over_ && !fading_; }

  /// Has the client taken anything since the last call? To be called after each output.
  void note_progress() noexcept;

  /// When on_deadline() has something to do.
  steady::time_point deadline() const noexcept;
  void on_deadline();

  // -- exchange --------------------------------------------------------------------------

  const request_view& request() const override { return view_; }
  const route_entry& route() const override { return *route_; }
  loop_context& context() override { return host_.context; }
  connection_base* owner() override { return host_.transport.owner(); }
  uint64_t id() const override { return id_; }
  std::string_view peer() const override { return host_.transport.peer(); }
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
  void note_upstream(std::chrono::microseconds waited) override { upstream_ = waited; }
  void note_cache(std::string_view how) override { cache_ = how; }
  void pause_content() override;
  void resume_content() override;

private:
  enum class phase : uint8_t { open, streaming, sending, answered, cancelled };

  void dispatch();
  void take(std::string_view bytes);
  void body_ended();
  bool begin_response(const response& answer, std::optional<uint64_t> length, h2_content content);
  void send_parts();
  void answered();
  void cancel(h2_code code, std::string_view why);
  void drop_task();
  void count(uint16_t status, std::string_view abort);
  void log(uint16_t status, std::string_view abort);
  steady::time_point body_deadline() const noexcept;

  h2_stream_host& host_;
  const int32_t stream_;
  const uint64_t id_;
  phase phase_ = phase::open;
  bool body_done_ = false;
  bool end_held_ = false; // the end came while the content was paused
  bool paused_ = false;
  bool uninvited_ = false; // the client waits for a 100
  bool silent_ = false;    // no content follows the head
  bool fading_ = false;
  bool counted_ = false;
  bool writing_ = false; // counted as such
  bool over_ = false;
  bool full_ = false; // the task waits for on_room()
  uint16_t status_ = 0;
  std::optional<std::chrono::microseconds> upstream_; // until its response began
  std::string_view cache_;                            // a literal
  uint64_t received_ = 0;
  uint64_t discarded_ = 0;
  uint64_t sent_ = 0;                // content given to the session
  std::optional<uint64_t> promised_; // its length
  uint64_t taken_ = 0;               // of it what the session had got rid of when somebody looked
  uint64_t max_body_ = 0;
  steady::time_point began_;
  steady::time_point body_began_; // when the client could send content, but for pauses
  steady::time_point paused_at_;
  steady::time_point since_;        // last progress of the content that comes
  steady::time_point output_since_; // last progress of the content that goes
  std::unique_ptr<h2_request> request_;
  request_view view_;
  const route_entry* route_ = nullptr;
  site_table_ptr table_;
  std::unique_ptr<exchange_task> task_;
  std::string held_; // content that came while it was paused
  std::deque<content_part> parts_;
};

} // namespace caf_app::http
