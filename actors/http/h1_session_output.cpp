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
  append_response(answer, answer.status);
}

void h1_session::append_response(const response& answer, uint16_t status) {
  h1_response_head head;
  head.status = status;
  head.content = is_bodiless(status) ? h1_content::none : h1_content::length;
  head.connection = connection_field(minor_version_, !must_close());
  keep_alive_ = head.connection != h1_connection::close;
  head.content_length = answer.body.size();
  head.date = context_.date();
  head.server = context_.table->config().server;
  head.content_type = answer.content_type;
  head.fields = answer.fields;
  const auto ok = append_head(context_.output, head);
  CAF_APP_ASSERT(ok); // handlers check what comes from elsewhere
  const auto with_body = !head_only_ && head.content == h1_content::length;
  if (with_body && answer.body.size() > limits::http::direction_buffer_bytes) {
    flush(); // the scratch buffer stays small
    hand_over(answer.body);
  } else if (with_body) {
    context_.output.append(answer.body);
  }
  answered(status, with_body ? answer.body.size() : 0);
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
  const auto text = is_bodiless(status) ? std::string{} : refusal_body(status);
  append_response({status, text.empty() ? std::string_view{} : "text/plain", fields, text}, status);
}

void h1_session::answered(uint16_t status, size_t body_bytes) {
  const auto seconds = to_seconds(steady_now() - began_);
  (route_ ? route_->counters : context_.table->unrouted())
      .answered(status, seconds, received_, body_bytes);
  if (log_facts_)
    log(status, body_bytes);
  finished_ = std::move(task_); // it may be what called us
  phase_ = phase::answered;
  if (must_close())
    close_after_output();
  else if (body_done_)
    next_request();
  if (!pumping_)
    pump({}); // an answer that came later: the next request may be in the stash
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
  if (route_ && phase_ == phase::open)
    route_->counters.answered(0, to_seconds(steady_now() - began_), received_, 0);
  if (log_facts_)
    log(0, 0, to_string(reason));
  phase_ = phase::closed;
  finished_ = std::move(task_);
  stash_.clear();
  flush(); // earlier responses
  transport_.end(reason);
}

void h1_session::release() {
  finished_.reset();
  task_.reset();
  parser_.reset();
  table_.reset();
}

} // namespace caf_app::http
