#include "actors/http/h2_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace caf_app::http {

namespace {

constexpr size_t gaps_kept = 32; // no client leaves out any; beyond, they are ignored as before

} // namespace

h2_stream* h2_core::find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

h2_event& h2_core::emit(h2_event::kind what, const h2_stream& stream) {
  events_.push_back({what, stream.id, h2_code::no_error, {}, nullptr, {}});
  return events_.back();
}

void h2_core::take_events(std::vector<h2_event>& events) {
  if (events.empty()) {
    std::swap(events, events_);
    return;
  }
  std::move(events_.begin(), events_.end(), std::back_inserter(events));
  events_.clear();
}

void h2_core::pay(h2_abuse kind) {
  ++counts_[static_cast<size_t>(kind)];
  switch (budget_.spend(kind, now_)) {
    case h2_budget_state::fine: break;
    case h2_budget_state::strained: strained_ = true; break;
    case h2_budget_state::spent: abuse_ = abuse_.value_or(kind); break;
  }
}

bool h2_core::admit(const h2_frame_head& frame) {
  oversized_ = frame.length > h2_frame_head::payload_max;
  continuations_ = frame.type == h2_frame::continuation ? continuations_ + 1 : 0;
  switch (frame.type) {
    case h2_frame::headers: note_stream(frame.stream); break;
    case h2_frame::continuation: break;
    case h2_frame::rst_stream: pay(h2_abuse::resets_received); break;
    case h2_frame::window_update: pay(h2_abuse::window_updates); break;
    case h2_frame::data:
      if (frame.length == 0 && (frame.flags & h2_frame_head::end_stream) == 0)
        pay(h2_abuse::control);
      break;
    default: pay(h2_abuse::control); // PING, SETTINGS, PRIORITY, GOAWAY, and what nobody knows
  }
  return !spent() && !overlong() && !oversized_ && !out_of_order_;
}

// nghttp2 does not tell a stream that was left out from one that it has forgotten, and ignores
// both.
void h2_core::note_stream(uint32_t stream) {
  if (stream > newest_) {
    if (stream > newest_ + 2 && skipped_.size() < gaps_kept)
      skipped_.emplace_back(newest_ + 1, stream - 1);
    newest_ = stream;
    return;
  }
  out_of_order_ = std::any_of(skipped_.begin(), skipped_.end(), [&](const auto& gap) {
    return stream >= gap.first && stream <= gap.second;
  });
}

void h2_core::note_section(const h2_frame_scanner& scanner) {
  const auto another = std::exchange(sections_, scanner.sections()) != scanner.sections();
  if (!scanner.in_section())
    section_since_.reset();
  else if (!section_since_ || another)
    section_since_ = now_;
}

h2_stream* h2_core::open(int32_t id) {
  if (streams_.size() >= options_.streams) {
    wire_->send_reset(id, h2_code::refused_stream);
    return nullptr;
  }
  auto& stream = streams_[id];
  stream = std::make_unique<h2_stream>(id);
  return stream.get();
}

void h2_core::on_head(h2_stream& stream, bool ends) {
  auto request = std::make_unique<h2_request>();
  const auto section = std::move(stream.section);
  if (!section->finish(*request)) {
    wire_->send_reset(stream.id, h2_code::protocol_error);
    return;
  }
  request->has_body = !ends;
  stream.given = true;
  stream.head_only = request->method == method::head;
  stream.content_length = request->content_length;
  emit(h2_event::kind::request, stream).request = std::move(request);
  if (ends)
    on_peer_end(stream);
}

void h2_core::on_trailers(h2_stream& stream) {
  const auto section = std::move(stream.section);
  if (section->too_large()) {
    wire_->send_reset(stream.id, h2_code::protocol_error);
    return;
  }
  auto trailers = section->finish_trailers();
  if (!stream.discards() && !trailers.empty())
    emit(h2_event::kind::trailers, stream).trailers = std::move(trailers);
  on_peer_end(stream);
}

void h2_core::on_data(h2_stream& stream, std::string_view bytes) {
  stream.received += bytes.size();
  if (!stream.discards()) {
    stream.unconsumed += bytes.size();
    emit(h2_event::kind::data, stream).data = bytes;
    return;
  }
  stream.discarded += bytes.size();
  if (stream.discarded <= options_.discard_bytes)
    wire_->give_window(stream.id, bytes.size());
  else if (stream.done)
    reset(stream, h2_code::no_error);
}

void h2_core::on_peer_end(h2_stream& stream) {
  stream.peer_ended = true;
  if (!stream.discards())
    emit(h2_event::kind::end, stream);
}

void h2_core::on_closed(h2_stream& stream, h2_code code) {
  stream.closed = true;
  const auto whole = stream.done && stream.peer_ended;
  if (stream.given && !whole && !stream.discards())
    emit(h2_event::kind::reset, stream).code = code;
  // Between release() and the end of the output the client's reset is the last thing to tell.
  if (stream.released && !stream.done && !stream.dead)
    emit(h2_event::kind::reset, stream).code = code;
  if (stream.released || !stream.given)
    streams_.erase(stream.id);
}

void h2_core::on_reset_sent(h2_code code) {
  if (code == h2_code::refused_stream) {
    pay(h2_abuse::refused);
    return;
  }
  pay(h2_abuse::resets_sent);
  if (code == h2_code::protocol_error)
    pay(h2_abuse::malformed);
}

void h2_core::on_end_sent(h2_stream& stream) {
  stream.done = true;
  if (!stream.dead)
    emit(h2_event::kind::done, stream);
  if (stream.released)
    read_away(stream);
}

void h2_core::on_content_sent(h2_stream& stream, size_t bytes) {
  stream.out.drop(bytes);
  budget_.earn(h2_abuse::window_updates, h2_window_updates_per_data);
  if (stream.was_full && stream.out.waiting().size() <= options_.stream_buffer / 2) {
    stream.was_full = false;
    if (!stream.discards())
      emit(h2_event::kind::writable, stream);
  }
}

void h2_core::consumed(h2_stream& stream, size_t bytes) {
  bytes = std::min(bytes, stream.unconsumed);
  stream.unconsumed -= bytes;
  if (bytes > 0 && !stream.closed)
    wire_->give_window(stream.id, bytes);
}

void h2_core::reset(h2_stream& stream, h2_code code) {
  if (stream.dead || stream.closed)
    return;
  stream.dead = true;
  wire_->send_reset(stream.id, code);
}

void h2_core::release(h2_stream& stream) {
  if (stream.released)
    return;
  if (!stream.answer_is_whole())
    reset(stream, h2_code::internal_error);
  consumed(stream, stream.unconsumed);
  stream.released = true;
  if (stream.closed)
    streams_.erase(stream.id);
  else if (stream.done)
    read_away(stream);
}

// The response is out and nobody wants the rest of the request. Short rests are let in, because a
// reset may overtake the response in some clients; long ones are not worth it.
void h2_core::read_away(h2_stream& stream) {
  if (stream.peer_ended || stream.closed || stream.dead)
    return;
  if (stream.expects_more_than(options_.discard_bytes) ||
      stream.discarded > options_.discard_bytes) {
    reset(stream, h2_code::no_error);
    return;
  }
  read_away_until_.emplace_back(now_ + options_.discard_time, stream.id);
}

std::optional<steady::time_point> h2_core::deadline() const {
  if (read_away_until_.empty())
    return std::nullopt;
  return read_away_until_.front().first;
}

void h2_core::expire() {
  while (!read_away_until_.empty() && read_away_until_.front().first <= now_) {
    const auto stream = find(read_away_until_.front().second);
    read_away_until_.pop_front();
    if (stream)
      reset(*stream, h2_code::no_error);
  }
}

} // namespace caf_app::http
