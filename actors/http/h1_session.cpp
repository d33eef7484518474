#include "actors/http/h1_session.hpp"

#include <algorithm>

#include "actors/http/h1_session_log.hpp"
#include "actors/http/h1_writer.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

namespace {

constexpr std::chrono::seconds probe_after{1}; // of a half-closed client, then once per second
constexpr std::chrono::seconds drain_grace{1}; // of an idle connection, whose client may be sending

h1_body_limits body_limits(const http_limits& limits, uint64_t max_body) {
  return {max_body, limits.max_chunk_extensions, limits.max_header_bytes, limits.max_headers};
}

} // namespace

h1_session::h1_session(loop_context& context, const listener_state& listener,
                       h1_transport& transport)
    : context_(context), listener_(listener), transport_(transport), since_(context.now),
      began_(context.now), opened_(context.now) {
  // +-10 % by number, so that connections opened together do not end together.
  const auto age = context.table->limits().connection_max_age;
  age_max_ = age * 9 / 10 + age / 50 * static_cast<int>(context.next_exchange_id() % 11);
}

h1_session::~h1_session() = default;

void h1_session::on_data(std::span<const char> bytes) {
  if (phase_ == phase::closed)
    return;
  if (stash_.empty()) {
    pump(bytes);
  } else {
    stash(bytes);
    if (can_consume())
      pump({});
  }
}

// Consumes what is stashed, then `bytes`, as far as responses allow; then sends what was produced.
void h1_session::pump(std::span<const char> bytes) {
  CAF_APP_ASSERT(!pumping_);
  pumping_ = true;
  if (!stash_.empty()) {
    auto held = std::move(stash_);
    stash_.clear();
    const auto used = consume(held);
    if (phase_ != phase::closed)
      stash(std::span{held}.subspan(used));
  }
  if (phase_ != phase::closed)
    stash(bytes.subspan(stash_.empty() ? consume(bytes) : 0));
  pumping_ = false;
  flush();
  finished_.reset();
  if (phase_ == phase::closed)
    return;
  if (phase_ == phase::idle && peer_ended_ && stash_.empty())
    return close_after_output();
  if (!peer_ended_ && stash_.size() < limits::http::direction_buffer_bytes &&
      transport_.queued() < limits::http::direction_buffer_bytes)
    transport_.resume_reading();
}

void h1_session::stash(std::span<const char> rest) {
  if (rest.empty())
    return;
  stash_.append(rest.data(), rest.size());
  if (stash_.size() >= limits::http::direction_buffer_bytes)
    transport_.pause_reading();
}

void h1_session::flush() {
  if (context_.output.empty())
    return;
  if (transport_.queued() == 0)
    output_since_ = context_.now;
  transport_.send(context_.output);
  context_.output.clear();
}

bool h1_session::can_consume() const noexcept {
  switch (phase_) {
    case phase::open: return !body_done_;
    case phase::closed: return false;
    default: return true;
  }
}

size_t h1_session::consume(std::span<const char> bytes) {
  size_t used = 0;
  while (used < bytes.size() && can_consume()) {
    const auto rest = bytes.subspan(used);
    switch (phase_) {
      case phase::idle:
        if (context_.output.size() >= limits::http::direction_buffer_bytes)
          flush();
        if (transport_.queued() >= limits::http::direction_buffer_bytes) {
          transport_.pause_reading(); // the client has to read its responses first
          return used;
        }
        phase_ = phase::head;
        began_ = since_ = context_.now;
        parser_ = context_.take_parser();
        [[fallthrough]];
      case phase::head: used += consume_head(rest); break;
      case phase::open:
      case phase::answered: used += consume_body(rest); break;
      case phase::lingering: used += discard(rest); break;
      case phase::closed: break;
    }
  }
  return used;
}

size_t h1_session::consume_head(std::span<const char> bytes) {
  const auto [used, event] = parser_->feed(bytes);
  switch (event) {
    case h1_event::need_more: break;
    case h1_event::head: begin_request(); break;
    case h1_event::error:
      route_ = nullptr;
      keep_alive_ = false;
      body_done_ = true;
      head_only_ = false;
      phase_ = phase::open;
      refuse(parser_->error(), {});
      break;
  }
  return used;
}

void h1_session::begin_request() {
  const auto& head = parser_->request();
  phase_ = phase::open;
  id_ = context_.next_exchange_id();
  ++requests_;
  const auto& limits = context_.table->limits();
  minor_version_ = head.minor_version;
  head_only_ = head.method == method::head;
  keep_alive_ = head.keep_alive && !listener_.draining && requests_ < limits.keepalive_requests &&
                context_.now - opened_ < age_max_;
  awaits_continue_ = head.expect == h1_expect::continue_;
  discarded_ = received_ = 0;
  since_ = body_began_ = context_.now;
  route_ = nullptr;
  body_ = h1_body{head, body_limits(limits, limits.max_body)};
  body_done_ = !head.has_body();
  view_ = {head.method, head.method_text, head.target,     {}, {}, head.parts.query,
           head.host,   &head.fields,     head.has_body(), {}};
  if (head.framing == h1_framing::length)
    view_.content_length = head.content_length;
  if (context_.access_log)
    log_facts_ = std::make_unique<log_facts>(log_facts::of(head));
  dispatch(head);
  view_.fields = nullptr;
  if (phase_ != phase::closed)
    context_.give_parser(std::move(parser_));
}

void h1_session::dispatch(const h1_request& head) {
  const auto& table = *context_.table;
  const auto misdirected = head.parts.scheme == scheme::https; // this is cleartext. RFC 9110 §7.4
  const auto decision = table.router().find({head.host, head.parts.path, head.method, misdirected},
                                            context_.path_scratch);
  if (decision.outcome != route_outcome::found)
    return refuse_route(decision);
  route_ = &table.route(decision.route);
  view_.path = decision.path;
  view_.below = decision.below;
  if (head.expect == h1_expect::other)
    return refuse(head.has_body() ? fault::expect_with_body : fault::expect, {});
  const auto& config = route_->config;
  if (head.framing == h1_framing::length && head.content_length > config.max_body)
    return refuse(fault::body_size, {});
  body_ = h1_body{head, body_limits(table.limits(), config.max_body)};
  table_ = context_.table;
  task_ = route_->handler->start(*this);
  if (!task_)
    return;
  if (body_done_)
    body_ended();
  else if (awaits_continue_)
    append_interim(context_.output, 100);
  awaits_continue_ = false;
}

void h1_session::refuse_route(const route_decision& decision) {
  const auto allow = to_string(decision.allow);
  const field line{"Allow", allow};
  const auto fields = decision.allow.empty() ? std::span<const field>{} : std::span{&line, 1};
  if (decision.outcome == route_outcome::options)
    return respond_status(204, fields);
  if (decision.outcome == route_outcome::refused)
    return refuse(decision.error, fields);
  switch (context_.table->config().unknown_host) {
    case unknown_host::misdirected: return refuse(fault::misdirected, {});
    case unknown_host::not_found: return refuse(fault::not_found, {});
    case unknown_host::close: return cut(fault::misdirected, close_reason::rejected);
  }
}

size_t h1_session::consume_body(std::span<const char> bytes) {
  size_t used = 0;
  while (!body_done_ && (phase_ == phase::open || phase_ == phase::answered)) {
    const auto step = body_.feed(bytes.subspan(used));
    used += step.consumed;
    switch (step.event) {
      case h1_body_event::need_more: return used;
      case h1_body_event::data:
        since_ = context_.now;
        received_ += step.data.size();
        if (phase_ == phase::open && task_) {
          task_->on_body(step.data);
        } else if ((discarded_ += step.data.size()) > context_.table->limits().linger_bytes) {
          cut(fault::none, close_reason::answered);
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
  else if (task_)
    task_->on_body_end();
}

size_t h1_session::discard(std::span<const char> bytes) {
  discarded_ += bytes.size();
  if (discarded_ > context_.table->limits().linger_bytes)
    cut(fault::none, close_reason::answered);
  return bytes.size();
}

void h1_session::on_end() {
  peer_ended_ = true;
  switch (phase_) {
    case phase::idle:
      if (stash_.empty())
        cut(fault::none, close_reason::client);
      return;
    case phase::lingering: return cut(fault::none, close_reason::answered);
    case phase::open:
      if (body_done_) { // a half-closed client may still read
        keep_alive_ = false;
        since_ = context_.now;
        return;
      }
      [[fallthrough]];
    case phase::head:
    case phase::answered: return cut(fault::short_request, close_reason::rejected);
    case phase::closed: return;
  }
}

void h1_session::on_drained() {
  if (phase_ == phase::closed || pumping_)
    return;
  if (stash_.size() < limits::http::direction_buffer_bytes && !peer_ended_)
    transport_.resume_reading();
  if (!stash_.empty() && can_consume())
    pump({});
}

void h1_session::drain() {
  keep_alive_ = false;
  if (idle())
    since_ = context_.now;
}

steady::time_point h1_session::deadline() const noexcept {
  const auto& limits = context_.table->limits();
  auto due = steady::time_point::max();
  switch (phase_) {
    case phase::idle:
      due = since_ + (requests_ == 0 ? limits.first_byte_timeout : limits.keepalive_idle);
      if (requests_ > 0)
        due = std::min(due, std::max(opened_ + age_max_, since_));
      if (listener_.draining)
        due = std::min(due, since_ + drain_grace);
      break;
    case phase::head: due = began_ + limits.header_timeout; break;
    case phase::open:
      if (body_done_) {
        if (peer_ended_)
          due = since_ + probe_after;
        break;
      }
      [[fallthrough]];
    case phase::answered:
      due = std::min(since_ + limits.body_timeout, body_began_ + limits::http::body_rate_grace);
      if (context_.now >= body_began_ + limits::http::body_rate_grace)
        due = std::min<steady::time_point>(since_ + limits.body_timeout,
                                           context_.now + std::chrono::seconds{1});
      break;
    case phase::lingering: due = since_ + limits.linger; break;
    case phase::closed: return steady::time_point::max();
  }
  if (transport_.queued() > 0)
    due = std::min(due, output_since_ + limits.send_timeout);
  return due;
}

void h1_session::on_deadline() {
  const auto& limits = context_.table->limits();
  const auto now = context_.now;
  if (transport_.queued() > 0 && now >= output_since_ + limits.send_timeout)
    return cut(fault::slow_reader, close_reason::timeout);
  switch (phase_) {
    case phase::idle:
      if (now < deadline())
        return;
      if (transport_.has_input()) // a request came in this very moment
        since_ = now;
      else if (listener_.draining)
        cut(fault::none, close_reason::drained);
      else
        cut(fault::idle, close_reason::timeout);
      return;
    case phase::lingering:
      if (now >= deadline())
        cut(fault::none, close_reason::answered);
      return;
    case phase::head:
      if (now < began_ + limits.header_timeout)
        return;
      body_done_ = true;
      keep_alive_ = head_only_ = false;
      route_ = nullptr;
      phase_ = phase::open;
      refuse(fault::slow_request, {});
      return;
    case phase::open:
    case phase::answered: {
      if (body_done_) {
        if (peer_ended_ && now >= since_ + probe_after)
          probe_peer();
        return;
      }
      const auto age = now - body_began_;
      const auto enough = std::chrono::duration_cast<std::chrono::milliseconds>(age).count() *
                          limits.body_min_rate / 1000;
      const auto slow = age >= limits::http::body_rate_grace && received_ < enough;
      if (!slow && now < since_ + limits.body_timeout)
        return;
      if (phase_ == phase::answered)
        return cut(fault::slow_request, close_reason::timeout);
      refuse(fault::slow_request, {});
      return;
    }
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
