// What an h1_session does with content, with the end of the client's input, and with the moment in
// which the client has taken all output.
#include "actors/http/h1_session.hpp"

#include <utility>

namespace caf_app::http {

size_t h1_session::consume_body(std::span<const char> bytes) {
  if (tunnel_ && task_) {
    received_ += bytes.size();
    task_->on_body(bytes);
    return bytes.size();
  }
  size_t used = 0;
  while (!body_done_ && can_consume() && phase_ != phase::lingering) {
    const auto step = body_.feed(bytes.subspan(used));
    used += step.consumed;
    more_input_ = used < bytes.size();
    switch (step.event) {
      case h1_body_event::need_more: return used;
      case h1_body_event::data:
        since_ = context_.now;
        if (std::exchange(awaits_continue_, false)) // it waited no longer
          body_began_ = context_.now;
        received_ += step.data.size();
        if (task_) {
          task_->on_body(step.data);
        } else if ((discarded_ += step.data.size()) > context_.table->limits().linger_bytes) {
          if (phase_ == phase::sending)
            count(status_, sent_);
          close_after_output();
          return used;
        }
        break;
      case h1_body_event::done: body_ended(); return used;
      case h1_body_event::error:
        if (phase_ == phase::open)
          refuse(step.error, {});
        else
          cut(step.error, close_reason::rejected);
        return used;
    }
  }
  return used;
}

void h1_session::body_ended() {
  body_done_ = true;
  since_ = context_.now;
  if (phase_ == phase::answered && keep_alive_)
    next_request();
  else if (phase_ == phase::answered)
    close_after_output();
  else if (task_) { // open or streaming
    if (const auto& trailers = body_.trailers(); !trailers.empty())
      task_->on_trailers(trailers);
    task_->on_body_end();
  }
}

size_t h1_session::discard(std::span<const char> bytes) {
  discarded_ += bytes.size();
  end_if_sent();
  return bytes.size();
}

void h1_session::on_end() {
  peer_ended_ = true;
  if (stash_.empty() || phase_ != phase::idle)
    input_ended();
}

// There is nothing left to consume, and nothing more will come.
void h1_session::input_ended() {
  switch (phase_) {
    case phase::idle:
      if (transport_.queued() > 0)
        return close_after_output(); // a half-closed client may still read
      return cut(fault::none, close_reason::client);
    case phase::lingering: return end_if_sent();
    case phase::head:
      if (parser_->is_idle()) // of an empty line, which some clients add to their content
        return cut(fault::none, close_reason::client);
      return cut(fault::short_request, close_reason::rejected);
    case phase::open:
      if (body_done_ && route_ && route_->config.on_half_close == half_close::cancel)
        return cut(fault::none, close_reason::client);
      [[fallthrough]];
    case phase::streaming:
    case phase::sending:
      if (body_done_) {
        since_ = context_.now;
        return;
      }
      if (tunnel_) {
        if (stash_.empty())
          body_ended();
        return;
      }
      [[fallthrough]];
    case phase::answered: return cut(fault::short_request, close_reason::rejected);
    case phase::closed: return;
  }
}

void h1_session::on_drained() {
  if (phase_ == phase::closed || pumping_)
    return;
  if (phase_ == phase::idle || phase_ == phase::lingering)
    since_ = context_.now; // the client has its response now
  if (stash_.size() < limits::http::direction_buffer_bytes && !peer_ended_)
    transport_.resume_reading();
  if (phase_ == phase::sending) {
    end_sending();
    answered(status_, sent_);
  } else if (phase_ == phase::streaming && task_) {
    task_->on_room();
  } else if (phase_ == phase::lingering)
    end_if_sent();
  else if (!stash_.empty() && can_consume())
    pump({});
}

} // namespace caf_app::http
