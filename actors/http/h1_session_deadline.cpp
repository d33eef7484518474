// When an h1_session has waited long enough, and what it does then.
#include <algorithm>
#include <utility>

#include "actors/http/h1_session.hpp"
#include "actors/http/h1_writer.hpp"

namespace caf_app::http {

namespace {

constexpr std::chrono::seconds probe_after{1}; // of a half-closed client, then once per second
constexpr std::chrono::seconds drain_grace{1}; // of an idle connection, whose client may be sending
constexpr std::chrono::hours far_away{24 * 365};

} // namespace

void h1_session::drain(nudge_cause why) {
  keep_alive_ = false;
  if (!std::exchange(told_to_end_, true))
    context_.counters->nudged(why);
  if (listener_.draining)
    drained_ = std::min(drained_, context_.now);
  if (idle())
    since_ = context_.now;
}

// The content received so far is worth a time, at body_min_rate; then it is too little.
steady::time_point h1_session::rate_deadline() const noexcept {
  using std::chrono::milliseconds;
  const auto rate = context_.table->limits().body_min_rate;
  if (rate == 0)
    return steady::time_point::max();
  const auto worth =
      std::min<uint64_t>(received_ * 1000 / rate + 1, milliseconds{far_away}.count());
  return body_began_ + std::max<milliseconds>(limits::http::body_rate_grace, milliseconds{worth});
}

steady::time_point h1_session::deadline() const noexcept {
  const auto& limits = context_.table->limits();
  const auto sending = transport_.queued() > 0;
  auto due = steady::time_point::max();
  switch (phase_) {
    case phase::idle:
      if (sending) // the client is busy with its responses
        break;
      due = since_ + (requests_ == 0 ? limits.first_byte_timeout : limits.keepalive_idle);
      if (requests_ > 0)
        due = std::min(due, std::max(opened_ + age_max_, since_));
      if (listener_.draining && !listener_.keeps_idle)
        due = std::min(due, since_ + drain_grace);
      break;
    case phase::head: due = began_ + limits.header_timeout; break;
    case phase::open:
      if (body_done_) {
        if (peer_ended_ && route_ && route_->config.on_half_close == half_close::probe)
          due = since_ + probe_after;
        break;
      }
      if (content_paused_ || awaits_continue_) // it is the client that waits
        break;
      due = std::min(since_ + limits.body_timeout, rate_deadline());
      break;
    case phase::streaming:
    case phase::sending:
      if (tunnel_ && drained_ != steady::time_point::max())
        due = drained_ + limits.tunnel_deadline;
      if (tunnel_ || body_done_ || content_paused_ || awaits_continue_)
        break;
      [[fallthrough]];
    case phase::answered: due = std::min(since_ + limits.body_timeout, rate_deadline()); break;
    case phase::lingering:
      if (!sending)
        due = since_ + limits.linger;
      break;
    case phase::closed: return steady::time_point::max();
  }
  return sending ? std::min(due, output_since_ + limits.send_timeout) : due;
}

void h1_session::on_deadline() {
  const auto now = context_.now;
  note_progress();
  if (now < deadline() || phase_ == phase::closed)
    return;
  if (transport_.queued() > 0 && now >= output_since_ + context_.table->limits().send_timeout)
    return cut(fault::slow_reader, close_reason::timeout);
  switch (phase_) {
    case phase::idle:
      if (transport_.has_input()) // a request came in this very moment
        since_ = now;
      else if (listener_.draining)
        cut(fault::none, close_reason::drained);
      else
        cut(fault::idle, close_reason::timeout);
      return;
    case phase::lingering: return cut(fault::none, close_reason::answered);
    case phase::head: return refuse_head(fault::slow_request);
    case phase::open:
      if (body_done_)
        return probe_peer();
      return refuse(fault::slow_request, {});
    case phase::streaming:
      if (tunnel_)
        return cut(fault::none, close_reason::drained);
      [[fallthrough]];
    case phase::sending:
    case phase::answered: return cut(fault::slow_request, close_reason::timeout);
    case phase::closed: return;
  }
}

// A client that has shut down its sending side may be gone or may be waiting. One interim response
// tells: every HTTP/1.1 client has to skip it, a closed one answers with RST. RFC 9110 §15.2
void h1_session::probe_peer() {
  since_ = context_.now;
  if (transport_.broken())
    return cut(fault::none, close_reason::client);
  if (!probed_ && minor_version_ > 0) {
    probed_ = true;
    append_interim(context_.output, 100);
    flush();
  }
}

} // namespace caf_app::http
