#include "actors/http/h2_connection.hpp"

#include <algorithm>

namespace caf_app::http {

namespace {

h2_options options_of(const http_limits& limits) {
  h2_options result;
  result.streams = limits.h2_streams;
  result.window = limits.h2_window;
  result.connection_window = limits.h2_connection_window;
  result.settings_timeout = limits.h2_settings_timeout;
  result.discard_time = limits.linger;
  result.discard_bytes = limits.linger_bytes;
  result.section = {limits.max_header_bytes, limits.max_headers, limits.max_target};
  return result;
}

} // namespace

h2_connection::h2_connection(loop_context& context, const listener_state& listener,
                             transport& transport)
    : context_(context), listener_(listener), transport_(transport),
      session_(options_of(context.table->limits()), context.now),
      host_{context, listener, transport, session_, {}}, opened_(context.now), since_(context.now),
      output_since_(context.now), age_max_(context.spread_age()) {}

h2_connection::~h2_connection() = default;

void h2_connection::on_data(std::span<const char> bytes) {
  if (phase_ == phase::lingering) {
    // RST for unread input could overtake the GOAWAY, so a client that goes on gets its time too.
    discarded_ += bytes.size();
    if (discarded_ > context_.table->limits().linger_bytes)
      transport_.pause_reading();
    return;
  }
  if (phase_ == phase::closed)
    return;
  session_.receive({bytes.data(), bytes.size()}, context_.now);
  serve();
}

// Takes what has happened to the handlers and what they say to the client.
void h2_connection::serve() {
  handle_events();
  flush();
}

void h2_connection::handle_events() {
  serving_ = true;
  for (session_.take_events(events_); !events_.empty(); session_.take_events(events_)) {
    for (auto& event : events_)
      handle(event);
    events_.clear();
  }
  serving_ = false;
}

void h2_connection::handle(h2_event& event) {
  if (event.what == h2_event::kind::request) {
    ++requests_;
    auto& stream = *streams_.emplace_back(
        std::make_unique<h2_exchange>(host_, event.stream, std::move(event.request)));
    stream.start();
    streams_due_ = std::min(streams_due_, stream.deadline());
    return;
  }
  auto* stream = find(event.stream);
  if (!stream)
    return;
  switch (event.what) {
    case h2_event::kind::request: break;
    case h2_event::kind::data: stream->on_data(event.data); break;
    case h2_event::kind::trailers: stream->on_trailers(event.trailers); break;
    case h2_event::kind::end: stream->on_end(); break;
    case h2_event::kind::writable: stream->on_writable(); break;
    case h2_event::kind::done: stream->on_done(); break;
    case h2_event::kind::reset: stream->on_reset(to_string(close_reason::client)); break;
  }
}

h2_exchange* h2_connection::find(int32_t number) {
  const auto found =
      std::lower_bound(streams_.begin(), streams_.end(), number,
                       [](const auto& each, int32_t wanted) { return each->stream() < wanted; });
  return found != streams_.end() && (*found)->stream() == number ? found->get() : nullptr;
}

// Numbers of streams and of exchanges grow together.
exchange* h2_connection::find_open(uint64_t exchange_id) {
  const auto found =
      std::lower_bound(streams_.begin(), streams_.end(), exchange_id,
                       [](const auto& each, uint64_t wanted) { return each->id() < wanted; });
  if (found == streams_.end() || (*found)->id() != exchange_id)
    return nullptr;
  if ((*found)->waits())
    return found->get();
  if ((*found)->fades()) {
    (*found)->work_ended();
    settle();
  }
  return nullptr;
}

void h2_connection::settle() {
  if (!serving_ && phase_ == phase::open)
    serve();
}

// Sends as long as the socket takes it. What is sent may make room, which a task may use at once.
void h2_connection::flush() {
  while (phase_ == phase::open && transport_.queued() < limits::http::direction_buffer_bytes) {
    const auto output = session_.pending_output(context_.now);
    if (output.empty())
      break;
    if (transport_.queued() == 0)
      output_since_ = context_.now;
    transport_.send(output);
    session_.sent(output.size());
    note_progress();
    handle_events();
  }
  sweep();
  count_abuse();
  if (phase_ != phase::open)
    return;
  if (session_.closing() && session_.pending_output(context_.now).empty())
    return close_after_output();
  const auto& limits = context_.table->limits();
  if (requests_ >= limits.keepalive_requests)
    shut_down(nudge_cause::requests);
  if (!session_.wants_input())
    transport_.pause_reading();
  else if (!peer_ended_)
    transport_.resume_reading();
}

// Tasks go first: they know their exchange.
void h2_connection::sweep() {
  host_.finished.clear();
  const auto before = streams_.size();
  std::erase_if(streams_, [](const auto& each) { return each->over(); });
  if (before > 0 && streams_.empty()) {
    since_ = context_.now;
    streams_due_ = steady::time_point::max();
  }
  for (const auto& each : streams_) {
    each->note_progress();
    streams_due_ = std::min(streams_due_, each->deadline());
  }
}

void h2_connection::note_progress() noexcept {
  const auto taken = transport_.sent();
  if (taken > taken_)
    output_since_ = context_.now;
  taken_ = taken;
}

void h2_connection::count_abuse() {
  const auto malformed = session_.spent()[static_cast<size_t>(h2_abuse::malformed)];
  for (; malformed_ < malformed; ++malformed_)
    context_.counters->rejected(fault::h2_malformed);
}

void h2_connection::on_drained() {
  if (phase_ == phase::lingering) {
    since_ = context_.now; // the client has its GOAWAY now
    return end_if_sent();
  }
  if (phase_ == phase::open)
    serve();
}

// A client that has shut down its sending side can open no window and cancel nothing.
void h2_connection::on_end() {
  peer_ended_ = true;
  if (phase_ == phase::lingering)
    return end_if_sent();
  if (phase_ == phase::open)
    cut(close_reason::client);
}

close_reason h2_connection::reason() const noexcept {
  switch (session_.why()) {
    case fault::none: return listener_.draining ? close_reason::drained : close_reason::answered;
    case fault::h2_settings: return close_reason::timeout;
    default: return close_reason::rejected;
  }
}

// The last GOAWAY is on its way. Closing at once could lose it, as with HTTP/1.
void h2_connection::close_after_output() {
  context_.counters->rejected(session_.why());
  if (const auto code = session_.goaway_code())
    context_.counters->h2_goaway(*code);
  if (const auto kind = session_.abuse())
    context_.counters->h2_abused(*kind);
  cancel_all(to_string(reason()));
  phase_ = phase::lingering;
  since_ = context_.now;
  transport_.finish_output();
  end_if_sent();
}

void h2_connection::end_if_sent() {
  if (transport_.queued() == 0 && peer_ended_)
    cut(reason());
}

void h2_connection::cancel_all(std::string_view why) {
  for (const auto& each : streams_)
    each->on_reset(why);
  host_.finished.clear();
  streams_.clear();
}

void h2_connection::cut(close_reason reason) {
  if (phase_ == phase::closed)
    return;
  phase_ = phase::closed;
  for (const auto& each : streams_)
    each->on_reset(to_string(reason)); // their tasks may be on the call stack
  transport_.end(reason);
}

void h2_connection::release() {
  host_.finished.clear();
  streams_.clear();
}

} // namespace caf_app::http
