// A stream's way from its head to its handler, its content, and its end.
#include "actors/http/h2_exchange.hpp"

#include <algorithm>
#include <utility>

#include "actors/http/client_address.hpp"
#include "actors/http/h1_framing.hpp"
#include "actors/http/log_line.hpp"
#include "actors/http/request_gate.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

h2_exchange::h2_exchange(h2_stream_host& host, int32_t stream, std::unique_ptr<h2_request> request)
    : host_(host), stream_(stream), id_(host.context.next_exchange_id()),
      body_done_(!request->has_body), max_body_(host.context.table->limits().max_body),
      began_(host.context.now), body_began_(host.context.now), since_(host.context.now),
      output_since_(host.context.now), request_(std::move(request)) {}

h2_exchange::~h2_exchange() {
  if (writing_)
    host_.context.counters->in_flight(wait_state::write).sub();
}

void h2_exchange::start() {
  auto& head = *request_;
  view_ = {head.method,
           head.method_text,
           head.target,
           {},
           {},
           head.parts.query,
           head.host,
           &head.fields,
           head.has_body,
           head.content_length,
           head.port};
  view_.version = "2";
  view_.scheme = head.scheme;
  if (head.error != fault::none)
    refuse(head.error, {});
  else
    dispatch();
  view_.fields = nullptr;
}

void h2_exchange::dispatch() {
  const auto& head = *request_;
  const auto& table = *host_.context.table;
  const auto named = head.scheme == "https" ? scheme::https : scheme::http;
  const auto misdirected = (named == scheme::http && head.scheme != "http") ||
                           !serves_scheme(host_.context, host_.transport, named) ||
                           !host_.transport.serves(head.host);
  const auto decision = table.router().find({head.host, head.parts.path, head.method, misdirected},
                                            host_.context.path_scratch);
  if (decision.outcome != route_outcome::found) {
    if (answer_unrouted(*this, decision))
      return;
    host_.context.counters->rejected(fault::misdirected);
    return cancel(h2_code::refused_stream, to_string(close_reason::rejected));
  }
  route_ = &table.route(decision.route);
  table_ = host_.context.table;
  view_.path = decision.path;
  view_.below = decision.below;
  max_body_ = route_->config.max_body;
  if (const auto wait = over_rate(host_.context, *route_, peer(), head.fields)) {
    const field retry_after{"Retry-After", *wait};
    return refuse(fault::rate, {&retry_after, 1});
  }
  const auto expect = find_expectation(
      head.fields, 1, {fault::none, head.has_body ? h1_framing::chunked : h1_framing::none, 0});
  if (expect == h1_expect::other)
    return refuse(fault::expect, {});
  if (head.content_length && *head.content_length > max_body_)
    return refuse(fault::body_size, {});
  uninvited_ = view_.awaits_invitation = expect == h1_expect::continue_;
  task_ = route_->handler->start(*this);
  if (!task_ || phase_ != phase::open)
    return;
  if (body_done_)
    task_->on_body_end();
  else if (task_->invites())
    invite();
}

// Window goes back as the handler takes content, so a slow handler stalls its own stream only.
void h2_exchange::on_data(std::string_view bytes) {
  since_ = host_.context.now;
  received_ += bytes.size();
  if (std::exchange(uninvited_, false)) // it waited no longer
    body_began_ = since_;
  if (!waits() || !task_) { // it is answered: a short rest is read away
    discarded_ += bytes.size();
    if (discarded_ <= host_.context.table->limits().linger_bytes)
      host_.session.consumed(stream_, bytes.size());
    return;
  }
  if (received_ > max_body_) {
    if (phase_ == phase::open)
      refuse(fault::body_size, {});
    else
      cancel(h2_code::cancel, to_string(close_reason::rejected));
    return;
  }
  if (paused_)
    held_ += bytes;
  else
    take(bytes);
}

void h2_exchange::take(std::string_view bytes) {
  task_->on_body({bytes.data(), bytes.size()});
  host_.session.consumed(stream_, bytes.size());
}

void h2_exchange::on_trailers(std::span<const owned_field> trailers) {
  if (waits() && task_)
    task_->on_trailers(trailers);
}

void h2_exchange::on_end() {
  if (body_done_)
    return;
  if (paused_ && waits()) {
    end_held_ = true;
    return;
  }
  body_ended();
}

void h2_exchange::body_ended() {
  body_done_ = true;
  since_ = host_.context.now;
  if (waits() && task_)
    task_->on_body_end();
}

void h2_exchange::pause_content() {
  if (!std::exchange(paused_, true))
    paused_at_ = host_.context.now;
}

void h2_exchange::resume_content() {
  if (!std::exchange(paused_, false))
    return;
  since_ = host_.context.now; // the client could not send
  body_began_ += host_.context.now - paused_at_;
  while (!held_.empty() && !paused_ && waits() && task_) {
    const auto bytes = std::exchange(held_, {});
    take(bytes);
  }
  if (end_held_ && !paused_ && held_.empty()) {
    end_held_ = false;
    body_ended();
  }
}

void h2_exchange::on_done() {
  if (phase_ == phase::answered)
    count(status_, {});
  over_ = true;
}

void h2_exchange::on_reset(std::string_view why) {
  if (phase_ == phase::answered || phase_ == phase::sending)
    count(status_, why);
  else
    count(phase_ == phase::streaming ? status_ : uint16_t{0}, why);
  phase_ = phase::cancelled;
  over_ = true;
  drop_task();
  if (!fading_)
    host_.session.release(stream_);
}

// What a cancelled request has set off may go on elsewhere; until that ends the stream keeps its
// place, or a client could start work without bound.
void h2_exchange::drop_task() {
  parts_.clear();
  fading_ = task_ && task_->works_on();
  since_ = host_.context.now;
  if (task_)
    host_.finished.push_back(std::move(task_));
}

void h2_exchange::work_ended() {
  fading_ = false;
  host_.session.release(stream_);
}

void h2_exchange::cancel(h2_code code, std::string_view why) {
  count(phase_ == phase::open ? uint16_t{0} : status_, why);
  phase_ = phase::cancelled;
  over_ = true;
  drop_task();
  host_.session.reset(stream_, code);
  if (!fading_)
    host_.session.release(stream_);
}

void h2_exchange::count(uint16_t status, std::string_view abort) {
  if (std::exchange(counted_, true))
    return;
  const auto seconds = to_seconds(steady_now() - began_);
  (route_ ? route_->counters : host_.context.table->unrouted())
      .answered(status, seconds, received_, sent_);
  if (host_.context.access_log)
    log(status, abort);
}

void h2_exchange::log(uint16_t status, std::string_view abort) {
  const auto& head = *request_;
  access_record record;
  const auto& trusted = host_.context.table->config().trusted_proxies;
  const auto client =
      trusted.empty() ? std::string{} : client_address(peer(), head.fields, trusted);
  record.peer = client.empty() || client == without_port(peer()) ? peer() : client;
  const auto id = request_id(peer(), head.fields, trusted, host_.context.seed, id_);
  record.request_id = id;
  record.method = head.method_text;
  record.target = head.target;
  record.version = "HTTP/2";
  record.status = status;
  record.sent = sent_;
  record.received = received_;
  record.referer = head.fields.first(known_field::referer);
  record.user_agent = head.fields.first(known_field::user_agent);
  record.host = head.host;
  record.upstream = upstream_;
  record.cache = cache_;
  record.tls = host_.transport.tls_version();
  record.abort = abort;
  host_.context.log_request(record, route_, began_);
}

} // namespace caf_app::http
