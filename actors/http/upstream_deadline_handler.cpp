// The deadlines of an upstream_call: what each phase may take, and what follows.
#include "actors/http/upstream_call_handler.hpp"

#include <algorithm>

namespace caf_app::http {

void upstream_call::content_complete() {
  complete_ = true;
  head_due_ = now_ + entry_.config.timeout;
  if (stage_ == stage::sending)
    await_response();
  else if (stage_ == stage::waiting || stage_ == stage::connecting)
    set_deadline(deadline_ - now_);
}

// Who gets its content slowly cannot answer: then it is only asked whether it takes it.
void upstream_call::await_response() {
  const auto& config = plan().config;
  if (patience_)
    set_deadline(*patience_);
  else
    set_deadline(complete_ && link_->queued() == 0 ? config.first_byte_timeout
                                                   : config.read_timeout);
}

// For the access log.
void upstream_call::note_time() {
  open_.note_upstream(std::chrono::duration_cast<std::chrono::microseconds>(now_ - began_));
}

void upstream_call::set_deadline(steady::duration from_now) {
  deadline_ = now_ + from_now;
  if (stage_ < stage::answering)
    deadline_ = std::min(deadline_, head_due_);
  if (!timer_.armed() || deadline_ < armed_)
    arm();
}

void upstream_call::arm() {
  armed_ = deadline_;
  pool_->loop().timers().arm(timer_, deadline_);
}

// A deadline that moved away is found out when the timer fires, as on connections.
void upstream_call::on_timer() {
  if (now_ < deadline_)
    return arm();
  guarded([this] { on_deadline(); });
}

void upstream_call::on_deadline() {
  switch (stage_) {
    case stage::waiting:
      pool_->cancel(std::exchange(ticket_, 0));
      return fail(503, outcome::unavailable);
    case stage::connecting:
      if (link_ || now_ >= std::min(give_up_at_, head_due_))
        return lost(outcome::timeout);
      return open_link();
    case stage::sending: return response_late();
    case stage::answering: return content_late();
    case stage::idle:
    case stage::over: return;
  }
}

void upstream_call::response_late() {
  if (now_ >= head_due_)
    return fail(504, outcome::timeout);
  if (patience_) {
    patience_.reset();
    on_silence();
    return await_response();
  }
  const auto sent = link_->sent_for_user();
  const auto stuck = link_->queued() > 0 && sent == sent_mark_;
  if (stuck || (complete_ && link_->queued() == 0))
    return fail(504, outcome::timeout);
  sent_mark_ = sent; // the client is slow, or the server goes on taking
  await_response();
}

void upstream_call::content_late() {
  if (open_.has_room())
    return cut(outcome::timeout);
  set_deadline(plan().config.read_timeout); // it is the client that does not read
}

} // namespace caf_app::http
