#include "actors/http/h1_session.hpp"

#include <algorithm>

#include "actors/http/h1_session_log.hpp"
#include "actors/http/h1_writer.hpp"
#include "actors/http/request_gate.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

namespace {

h1_body_limits body_limits(const http_limits& limits, uint64_t max_body) {
  return {max_body, limits.max_chunk_extensions, limits.max_header_bytes, limits.max_headers};
}

} // namespace

h1_session::h1_session(loop_context& context, const listener_state& listener, transport& transport)
    : context_(context), listener_(listener), transport_(transport), since_(context.now),
      began_(context.now), opened_(context.now), age_max_(context.spread_age()) {}

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
  try {
    consume_all(bytes);
  } catch (...) {
    context_.output.clear(); // what a handler's bug left there is not for the next connection
    throw;
  }
  pumping_ = more_input_ = false;
  flush();
  finished_.reset();
  if (phase_ == phase::closed)
    return;
  if (peer_ended_ && stash_.empty())
    return input_ended();
  if (!peer_ended_ && stash_.size() < limits::http::direction_buffer_bytes &&
      transport_.queued() < limits::http::direction_buffer_bytes)
    transport_.resume_reading();
}

void h1_session::consume_all(std::span<const char> bytes) {
  if (!stash_.empty()) {
    auto held = std::move(stash_);
    stash_.clear();
    const auto used = consume(held);
    if (phase_ != phase::closed)
      stash(std::span{held}.subspan(used));
  }
  if (phase_ != phase::closed)
    stash(bytes.subspan(stash_.empty() ? consume(bytes) : 0));
  // The end of content with a length is no byte: a pause that came with the last one has hidden it.
  if (bytes.empty() && stash_.empty() && task_ && !tunnel_ && !body_done_ && can_consume())
    consume_body(bytes);
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
  hand_over(context_.output);
  context_.output.clear();
}

void h1_session::hand_over(std::string_view bytes) {
  if (transport_.queued() == 0)
    output_since_ = context_.now;
  transport_.send(bytes);
  note_progress();
}

// send_timeout counts from the last byte that the socket has got rid of, as far as anybody looked.
void h1_session::note_progress() {
  const auto taken = transport_.sent();
  if (taken > taken_)
    output_since_ = context_.now;
  taken_ = taken;
}

bool h1_session::can_consume() const noexcept {
  switch (phase_) {
    case phase::open:
    case phase::streaming: return !body_done_ && !content_paused_;
    case phase::sending: return !body_done_;
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
      case phase::streaming:
      case phase::sending:
      case phase::answered: used += consume_body(rest); break;
      case phase::lingering: used += discard(rest); break;
      case phase::closed: break;
    }
  }
  return used;
}

size_t h1_session::consume_head(std::span<const char> bytes) {
  const auto [used, event] = parser_->feed(bytes);
  more_input_ = used < bytes.size();
  switch (event) {
    case h1_event::need_more: break;
    case h1_event::head: begin_request(); break;
    case h1_event::error: refuse_head(parser_->error()); break;
  }
  return used;
}

// Nothing is known of such a request; what follows it is not parsed.
void h1_session::refuse_head(fault why) {
  context_.give_parser(std::move(parser_));
  phase_ = phase::open;
  route_ = nullptr;
  view_ = {};
  body_done_ = true;
  keep_alive_ = head_only_ = awaits_continue_ = false;
  minor_version_ = 1;
  content_paused_ = silent_ = tunnel_ = false;
  received_ = 0;
  if (context_.access_log)
    log_facts_ = std::make_unique<log_facts>();
  refuse(why, {});
}

void h1_session::refuse_connection(fault why) {
  CAF_APP_ASSERT(phase_ == phase::idle);
  pumping_ = true;
  began_ = context_.now;
  parser_ = context_.take_parser();
  refuse_head(why);
  pumping_ = false;
  flush();
}

void h1_session::begin_request() {
  const auto& head = parser_->request();
  phase_ = phase::open;
  id_ = context_.next_exchange_id();
  ++requests_;
  const auto& limits = context_.table->limits();
  minor_version_ = head.minor_version;
  head_only_ = head.method == method::head;
  keep_alive_ = head.keep_alive && stays_open();
  awaits_continue_ = head.expect == h1_expect::continue_;
  probed_ = head.expect != h1_expect::nothing; // such a client may count its 100s
  content_paused_ = silent_ = tunnel_ = false;
  discarded_ = received_ = 0;
  since_ = body_began_ = context_.now;
  route_ = nullptr;
  body_ = h1_body{head, body_limits(limits, limits.max_body)};
  body_done_ = !head.has_body();
  view_ = view_of(head);
  if (context_.access_log)
    log_facts_ = std::make_unique<log_facts>(log_facts::of(head, peer(), context_, id_));
  dispatch(head);
  view_.fields = nullptr;
  if (phase_ != phase::closed)
    context_.give_parser(std::move(parser_));
}

request_view h1_session::view_of(const h1_request& head) const {
  request_view result{
      head.method, head.method_text, head.target,     {}, {},       head.parts.query,
      head.host,   &head.fields,     head.has_body(), {}, head.port};
  if (head.framing == h1_framing::length)
    result.content_length = head.content_length;
  result.version = head.minor_version == 0 ? "1.0" : "1.1";
  result.scheme = transport_.tls_version().empty() ? "http" : "https";
  result.awaits_invitation = head.expect == h1_expect::continue_;
  return result;
}

// Whether another request may follow on this connection, as far as it is up to us.
bool h1_session::stays_open() {
  if (listener_.draining || told_to_end_)
    return false;
  if (requests_ >= context_.table->limits().keepalive_requests)
    drain(nudge_cause::requests);
  return !told_to_end_;
}

void h1_session::dispatch(const h1_request& head) {
  const auto& table = *context_.table;
  const auto misdirected =
      !serves_scheme(context_, transport_, head.parts.scheme) || !transport_.serves(head.host);
  const auto decision = table.router().find({head.host, head.parts.path, head.method, misdirected},
                                            context_.path_scratch);
  if (decision.outcome != route_outcome::found) {
    if (!answer_unrouted(*this, decision))
      cut(fault::misdirected, close_reason::rejected);
    return;
  }
  route_ = &table.route(decision.route);
  view_.path = decision.path;
  view_.below = decision.below;
  if (is_refused(head))
    return;
  body_ = h1_body{head, body_limits(table.limits(), route_->config.max_body)};
  table_ = context_.table;
  task_ = route_->handler->start(*this);
  if (!task_)
    return;
  if (body_done_)
    body_ended();
  else if (awaits_continue_ && task_->invites())
    invite();
}

// What is known before the handler looks at a routed request.
bool h1_session::is_refused(const h1_request& head) {
  if (const auto wait = over_rate(context_, *route_, peer(), head.fields)) {
    const field retry_after{"Retry-After", *wait};
    refuse(fault::rate, {&retry_after, 1});
    return true;
  }
  const auto too_large =
      head.framing == h1_framing::length && head.content_length > route_->config.max_body;
  if (head.expect == h1_expect::other)
    refuse(head.has_body() ? fault::expect_with_body : fault::expect, {});
  else if (too_large)
    refuse(fault::body_size, {});
  return head.expect == h1_expect::other || too_large;
}

} // namespace caf_app::http
