// When an h2_connection has waited long enough, and what it does then.
#include <algorithm>

#include "actors/http/h2_connection.hpp"

namespace caf_app::http {

void h2_connection::drain(nudge_cause why) {
  if (phase_ != phase::open)
    return;
  shut_down(why);
  serve();
}

void h2_connection::shut_down(nudge_cause cause) {
  if (std::exchange(shutting_down_, true))
    return;
  context_.counters->nudged(cause);
  session_.shut_down(context_.now);
}

// Deadlines of streams move away while they progress. So this one may be too early, never too late.
steady::time_point h2_connection::streams_due() const noexcept {
  auto due = steady::time_point::max();
  for (const auto& each : streams_)
    due = std::min(due, each->deadline());
  return due;
}

steady::time_point h2_connection::deadline() const noexcept {
  const auto& limits = context_.table->limits();
  const auto sending = transport_.queued() > 0;
  auto due = steady::time_point::max();
  switch (phase_) {
    case phase::closed: return due;
    case phase::lingering:
      if (!sending)
        due = since_ + limits.linger;
      break;
    case phase::open:
      due = streams_due_;
      if (const auto own = session_.deadline())
        due = std::min(due, *own);
      if (const auto section = session_.section_since())
        due = std::min(due, *section + limits.header_timeout);
      if (!shutting_down_) {
        due = std::min(due, std::max(opened_ + age_max_, opened_));
        if (streams_.empty() && !sending)
          due = std::min(due, since_ + limits.keepalive_idle);
      }
      break;
  }
  return sending ? std::min(due, output_since_ + limits.send_timeout) : due;
}

void h2_connection::on_deadline() {
  const auto now = context_.now;
  const auto& limits = context_.table->limits();
  note_progress();
  if (phase_ == phase::closed)
    return;
  if (transport_.queued() > 0 && now >= output_since_ + limits.send_timeout) {
    context_.counters->rejected(fault::slow_reader);
    return cut(close_reason::timeout);
  }
  if (phase_ == phase::lingering) {
    if (now >= deadline())
      cut(reason());
    return;
  }
  session_.expire(now);
  if (now >= streams_due_) {
    serving_ = true;
    for (size_t i = 0; i < streams_.size(); ++i)
      streams_[i]->on_deadline();
    serving_ = false;
    streams_due_ = streams_due();
  }
  if (const auto section = session_.section_since();
      section && now >= *section + limits.header_timeout) {
    context_.counters->rejected(fault::slow_request);
    session_.go_away(h2_code::no_error, now);
  }
  if (streams_.empty() && transport_.queued() == 0 && now >= since_ + limits.keepalive_idle &&
      !shutting_down_ && !transport_.has_input()) {
    context_.counters->rejected(fault::idle);
    shut_down(nudge_cause::idle);
  } else if (now >= opened_ + age_max_) {
    shut_down(nudge_cause::age);
  }
  serve();
}

} // namespace caf_app::http
