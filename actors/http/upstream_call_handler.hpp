// One request at an upstream, whatever is spoken there: finds a server, waits for room, connects,
// watches the deadlines of each phase, tries again where that is safe, and keeps the books. A
// protocol derives from it and says what is sent and how the answer is read.
//
//   idle -> (waiting) -> connecting -> sending -> answering -> over
//              |            |   ^         |          '--> cut: the client sees that it is not whole
//              '--> 503     |   |         '--> 502, 504; a reused connection that died: once more
//                           '---'              on a fresh one (RFC 9112 §9.3.1)
//                     next server
//
// What fails before anything is known is tried again, but never once content was handed over. A
// connection that died costs one try more, a server that fails no more than `retries` and
// `retry_budget` allow.
#pragma once

#include <memory>
#include <string>

#include "actors/http/connection_base.hpp"
#include "actors/http/exchange.hpp"
#include "actors/http/site_table.hpp"
#include "actors/http/upstream_pool_handler.hpp"

namespace caf_app::http {

class upstream_call : public exchange_task, private upstream_user {
public:
  /// @param key of hash balancing, see balance_key()
  upstream_call(const route_entry& entry, exchange& open, std::shared_ptr<upstream_pool> pool,
                std::string key);

  /// Before it is over: the client has gone.
  ~upstream_call() override;

  /// Looks for a server. Not from the constructor. @returns whether the exchange was answered
  bool begin();

  void on_room() final;

protected:
  using outcome = upstream_outcome;
  enum class stage : uint8_t { idle, waiting, connecting, sending, answering, over };

  // -- what a protocol says -------------------------------------------------------------------

  /// Writes the head of the request; it may wait for the connection to come about.
  virtual void send_head(upstream_link& link) = 0;

  /// The connection has come about: what there is of the content may go. May end the exchange.
  virtual void send_content() = 0;

  /// @returns whether no content was handed to a connection yet
  virtual bool is_whole() const = 0;

  /// Bytes of the server: a response in stage sending, its rest in stage answering.
  virtual void receive(std::span<const char> bytes) = 0;

  /// The server has ended its output while answering().
  virtual void input_ended() = 0;

  /// Everything that was written is with the kernel. May end the exchange.
  virtual void output_sent() = 0;

  /// No head of a response for patience_. Not if patience_ is not set.
  virtual void on_silence() {}

  /// No byte in stage answering for the time set by set_deadline(). Cuts, unless it is the client
  /// that does not read.
  virtual void content_late();

  // -- what it calls ----------------------------------------------------------------------------

  stage now_in() const noexcept { return stage_; }
  upstream_link* link() noexcept { return link_.get(); }
  const upstream_plan& plan() const noexcept { return pool_->plan(); }

  /// The content of the request has come whole: from now on the server has to hurry.
  void content_complete();
  bool is_complete() const noexcept { return complete_; }

  /// The final head of the response has come.
  void answering();

  /// The connection goes on without a request, its books are closed. What follows is the caller's:
  /// upstream_pool::keep() or its end.
  /// @returns null if there was none
  std::unique_ptr<upstream_link> release(server_verdict verdict, outcome how);

  /// The response is whole, or answered: release(), and no deadline is left. The caller tells the
  /// exchange next, and this is gone then.
  std::unique_ptr<upstream_link> end(outcome how);

  /// Before answering(): the response is this status. After it: cut(). This is gone then.
  void fail(uint16_t status, outcome how);

  /// For the log, before fail() or cut(): what was wrong.
  void explain(std::string_view trouble) { trouble_ = trouble; }

  /// The content cannot be completed. This is gone then.
  void cut(outcome how);

  void set_deadline(steady::duration from_now);

  /// Nothing of upstream waits any more for the scaler's books: a tunnel.
  void leave_books() noexcept;

  template <class F>
  bool guarded(F call) {
    return open_.owner()->with_open(open_.id(), [&](exchange&) { call(); });
  }

  const route_entry& entry_;
  exchange& open_;
  const steady::time_point& now_;
  const method method_;
  std::optional<steady::duration> patience_; ///< until on_silence(), from the connection on
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

  /// The pool, for who has to outlive this.
  const std::shared_ptr<upstream_pool>& pool() const noexcept { return pool_; }

private:
  void on_bytes(std::span<const char> bytes) final;
  void on_upstream_end() final;
  void on_sent() final;
  void on_upstream_failed(int error) final;

  void seek();
  void wait_for_room();
  void connect(size_t server);
  void open_link();
  void try_backlog_again();
  bool connected();
  void await_response();
  void lost(outcome how);
  void note_time();
  bool has_other_address(outcome how);
  bool may_try_again(counter& cause);
  void arm();
  void on_timer();
  void on_deadline();
  void response_late();

  std::shared_ptr<upstream_pool> pool_;
  std::shared_ptr<const http_metrics> counters_;
  std::string key_;
  server_set tried_;
  stage stage_ = stage::idle;
  bool in_books_ = true;
  bool complete_ = false; // the content of the request
  bool got_byte_ = false; // of a response
  bool holds_server_ = false;
  upstream_pool::freshness wanted_ = upstream_pool::freshness::any;
  size_t tries_ = 0;
  uint64_t ticket_ = 0;
  size_t server_ = 0;
  size_t address_ = 0;       // of the server, see upstream_pool::next_address()
  size_t address_tries_ = 0; // at this server
  std::unique_ptr<upstream_link> link_;
  std::string trouble_;    // what the connection said when it failed
  uint64_t sent_mark_ = 0; // how much the server had taken when somebody looked
  steady::time_point began_;
  steady::time_point since_;      // connecting, or sending
  steady::time_point give_up_at_; // the try at this server, while connecting
  steady::time_point head_due_ = steady::time_point::max();
  steady::time_point deadline_ = steady::time_point::max();
  steady::time_point armed_ = steady::time_point::max();
  wheel_timer timer_;
};

/// What hash balancing looks at.
std::string balance_key(const exchange& open, balance_kind balance);

/// Refuses because of overload: fault::shed, with Retry-After of limits::http::retry_after.
void refuse_for_now(exchange& open);

} // namespace caf_app::http
