// How an h1_session answers: responses, refusals, and what each means for the connection.
#include "actors/http/h1_session.hpp"

#include <algorithm>
#include <array>

#include "actors/http/fixed_response.hpp"
#include "actors/http/h1_session_log.hpp"
#include "actors/http/h1_writer.hpp"
#include "actors/http/status.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

// Must the connection end after this response? A body that was not read yet is read away only if
// that is cheap, and if it is certain that it will come.
bool h1_session::must_close() const noexcept {
  if (!keep_alive_ || context_.now - opened_ >= age_max_)
    return true;
  if (peer_ended_ && stash_.empty() && !more_input_)
    return true; // the last one that this client has sent
  if (body_done_)
    return false;
  return awaits_continue_ ||
         (view_.content_length && body_.remaining() > context_.table->limits().linger_bytes);
}

void h1_session::respond(const fixed_response& answer) {
  CAF_APP_ASSERT(phase_ == phase::open);
  if (minor_version_ == 1 && !must_close()) {
    if (head_only_)
      answer.h1().append_head_to(context_.output, context_.date());
    else
      answer.h1().append_to(context_.output, context_.date());
    answered(answer.status(), head_only_ ? 0 : answer.body_size());
  } else {
    respond(answer.view());
  }
}

void h1_session::respond(const response& answer) {
  CAF_APP_ASSERT(phase_ == phase::open);
  append_response(answer);
}

// Appends the head of an answer. @returns whether content follows
bool h1_session::append_answer(const response& answer, h1_content framing, uint64_t length) {
  h1_response_head head;
  head.status = answer.status;
  head.content = is_bodiless(answer.status) ? h1_content::none : framing;
  if (keep_alive_ && context_.now - opened_ >= age_max_)
    drain(nudge_cause::age);
  head.connection = connection_field(minor_version_, !must_close());
  keep_alive_ = head.connection != h1_connection::close;
  head.content_length = length;
  if (answer.source == response_source::own || !has_line(answer.fields, known_field::date))
    head.date = context_.date();
  if (answer.source == response_source::own)
    head.server = context_.table->config().server;
  head.content_type = answer.content_type;
  head.fields = answer.fields;
  const auto ok = append_head(context_.output, head);
  CAF_APP_ASSERT(ok); // handlers check what comes from elsewhere
  return !head_only_ && !is_bodiless(answer.status);
}

void h1_session::append_response(const response& answer) {
  const auto with_body = append_answer(answer, h1_content::length, answer.body.size());
  if (with_body && answer.body.size() > limits::http::direction_buffer_bytes) {
    flush(); // the scratch buffer stays small
    hand_over(answer.body);
  } else if (with_body) {
    context_.output.append(answer.body);
  }
  answered(answer.status, with_body ? answer.body.size() : 0);
}

void h1_session::refuse(fault why, std::span<const field> fields) {
  CAF_APP_ASSERT(phase_ == phase::open);
  const auto& row = rejection_of(why);
  context_.counters->rejected(why);
  if (row.connection == disposition::cut)
    return cut(fault::none, close_reason::rejected);
  if (row.connection == disposition::close)
    keep_alive_ = false;
  respond_status(row.status, fields);
}

void h1_session::respond_status(uint16_t status, std::span<const field> fields) {
  CAF_APP_ASSERT(phase_ == phase::open);
  const auto text = refusal_text(route_, status);
  append_response({status, text.type, fields, text.body});
}

void h1_session::answered(uint16_t status, uint64_t body_bytes) {
  count(status, body_bytes);
  finished_ = std::move(task_); // it may be what called us
  phase_ = phase::answered;
  after_answer();
}

// The response is queued whole: what comes next?
void h1_session::after_answer() {
  if (must_close())
    close_after_output();
  else if (body_done_)
    next_request();
  if (!pumping_)
    pump({}); // an answer that came later: the next request may be in the stash
}

// Once per request: what became of it.
void h1_session::count(uint16_t status, uint64_t body_bytes, std::string_view abort) {
  const auto seconds = to_seconds(steady_now() - began_);
  (route_ ? route_->counters : context_.table->unrouted())
      .answered(status, seconds, received_, body_bytes);
  if (log_facts_)
    log(status, body_bytes, abort);
}

void h1_session::next_request() {
  phase_ = phase::idle;
  since_ = context_.now;
  route_ = nullptr;
  table_.reset();
}

// Closing at once could lose the response: unread input makes the kernel send RST. RFC 9112 §9.6
void h1_session::close_after_output() {
  flush();
  keep_alive_ = false;
  if (phase_ == phase::closed)
    return;
  phase_ = phase::lingering;
  since_ = context_.now;
  stash_.clear();
  transport_.finish_output();
  end_if_sent();
}

// Ends a lingering connection once the response is out, if its client is done or sends too much.
void h1_session::end_if_sent() {
  if (transport_.queued() == 0 &&
      (peer_ended_ || discarded_ > context_.table->limits().linger_bytes))
    cut(fault::none, close_reason::answered);
}

void h1_session::cut(fault why, close_reason reason) {
  if (phase_ == phase::closed)
    return;
  context_.counters->rejected(why);
  if (phase_ == phase::streaming || phase_ == phase::sending)
    count(status_, sent_ - std::min(sent_, transport_.queued()), to_string(reason));
  else if (route_ && phase_ == phase::open)
    count(0, 0, to_string(reason));
  else if (log_facts_)
    log(0, 0, to_string(reason));
  end_sending();
  phase_ = phase::closed;
  finished_ = std::move(task_);
  stash_.clear();
  flush(); // earlier responses
  transport_.end(reason);
}

void h1_session::release() {
  end_sending();
  finished_.reset();
  task_.reset();
  parser_.reset();
  table_.reset();
}

} // namespace caf_app::http
