// How a stream answers, and when it has waited long enough.
#include "actors/http/h2_exchange.hpp"

#include <algorithm>
#include <array>

#include "actors/http/fixed_response.hpp"
#include "actors/http/h1_writer.hpp"
#include "actors/http/status.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

namespace {

constexpr size_t file_slice_bytes = 32 * 1024;

/// How long cancelled work that tells nobody of its end keeps its place (adr/0008-http2.md).
constexpr std::chrono::seconds fade_max{5};

} // namespace

// @returns whether content follows; if not, the exchange may be cancelled
bool h2_exchange::begin_response(const response& answer, std::optional<uint64_t> length,
                                 h2_content content) {
  CAF_APP_ASSERT(phase_ == phase::open);
  status_ = answer.status;
  const auto& config = host_.context.table->config();
  h2_response_head head;
  head.status = answer.status;
  head.content_length = length;
  if (answer.source == response_source::own || !has_line(answer.fields, known_field::date))
    head.date = host_.context.date();
  if (answer.source == response_source::own)
    head.server = config.server;
  head.content_type = answer.content_type;
  head.fields = answer.fields;
  silent_ =
      content == h2_content::none || view_.method == method::head || is_bodiless(answer.status);
  promised_ = length;
  output_since_ = host_.context.now;
  const auto ok =
      host_.session.respond(stream_, head, silent_ ? h2_content::none : h2_content::follows);
  if (!ok) // the stream is gone, and its reset is among the events to come; or a field is not valid
    cancel(h2_code::internal_error, to_string(close_reason::aborted));
  return ok && !silent_;
}

void h2_exchange::respond(const response& answer) {
  const auto content = answer.body.empty() ? h2_content::none : h2_content::follows;
  if (begin_response(answer, answer.body.size(), content)) {
    sent_ = answer.body.size();
    host_.session.write(stream_, answer.body);
    host_.session.finish(stream_);
  }
  answered();
}

void h2_exchange::respond(const fixed_response& answer) { respond(answer.view()); }

void h2_exchange::refuse(fault why, std::span<const field> fields) {
  const auto& row = rejection_of(why);
  host_.context.counters->rejected(why);
  if (row.connection == disposition::cut)
    return cancel(h2_code::cancel, to_string(close_reason::rejected));
  respond_status(row.status, fields);
}

void h2_exchange::respond_status(uint16_t status, std::span<const field> fields) {
  const auto text = refusal_text(route_, status);
  respond(response{status, text.type, fields, text.body});
}

void h2_exchange::respond(const response& head, std::vector<content_part> content) {
  uint64_t length = 0;
  for (const auto& part : content)
    length += part.bytes.size() + (part.file ? part.length : 0);
  if (!begin_response(head, length, length > 0 ? h2_content::follows : h2_content::none))
    return answered();
  phase_ = phase::sending;
  if (task_)
    host_.finished.push_back(std::move(task_));
  host_.context.counters->in_flight(wait_state::write).add();
  writing_ = true;
  for (auto& part : content)
    parts_.push_back(std::move(part));
  send_parts();
}

// Files are read as the client takes them: at most a buffer's worth waits in memory.
void h2_exchange::send_parts() {
  std::array<char, file_slice_bytes> slice;
  while (!parts_.empty() && has_room()) {
    auto& part = parts_.front();
    if (!part.bytes.empty()) {
      sent_ += part.bytes.size();
      host_.session.write(stream_, std::exchange(part.bytes, {}));
      continue;
    }
    if (!part.file || part.length == 0) {
      parts_.pop_front();
      continue;
    }
    const auto wanted = std::min<uint64_t>(part.length, slice.size());
    const auto got = host_.transport.read(*part.file, part.offset, std::span{slice}.first(wanted));
    if (got <= 0) // it has shrunk: no padding, the client has to see that
      return cancel(h2_code::internal_error, to_string(close_reason::aborted));
    part.offset += static_cast<uint64_t>(got);
    part.length -= static_cast<uint64_t>(got);
    sent_ += static_cast<uint64_t>(got);
    host_.session.write(stream_, {slice.data(), static_cast<size_t>(got)});
  }
  if (!parts_.empty())
    return;
  host_.session.finish(stream_);
  answered();
}

void h2_exchange::begin(const response& head, std::optional<uint64_t> length) {
  begin_response(head, length, h2_content::follows);
  if (phase_ == phase::open)
    phase_ = phase::streaming;
  write(head.body);
}

void h2_exchange::write(std::string_view bytes) {
  if (phase_ == phase::cancelled)
    return; // its task is on the call stack still
  CAF_APP_ASSERT(phase_ == phase::streaming);
  if (bytes.empty() || silent_)
    return;
  if (promised_ && bytes.size() > *promised_ - sent_)
    return abort();
  sent_ += bytes.size();
  if (host_.session.buffered(stream_) == 0)
    output_since_ = host_.context.now;
  host_.session.write(stream_, bytes);
  full_ = full_ || !has_room();
}

bool h2_exchange::has_room() const {
  return phase_ != phase::cancelled &&
         host_.session.buffered(stream_) < limits::http::direction_buffer_bytes;
}

void h2_exchange::finish(std::span<const field> trailers) {
  if (phase_ == phase::cancelled)
    return; // its task is on the call stack still
  CAF_APP_ASSERT(phase_ == phase::streaming);
  if (!silent_ && promised_ && sent_ < *promised_)
    return abort();
  if (!silent_)
    host_.session.finish(stream_, trailers);
  answered();
}

void h2_exchange::abort() {
  if (phase_ == phase::cancelled)
    return; // its task is on the call stack still
  CAF_APP_ASSERT(phase_ == phase::streaming);
  cancel(h2_code::internal_error, to_string(close_reason::aborted));
}

void h2_exchange::inform(uint16_t status, std::span<const field> fields) {
  CAF_APP_ASSERT(phase_ == phase::open);
  h2_response_head head;
  head.status = status;
  head.fields = fields;
  host_.session.interim(stream_, head);
}

void h2_exchange::invite() {
  if (phase_ != phase::open || !std::exchange(uninvited_, false))
    return;
  since_ = body_began_ = host_.context.now; // until now the client was right to be silent
  host_.session.interim(stream_, {100, {}, {}, {}, {}, {}});
}

// Upgrade is HTTP/1.1's (RFC 9113 §8.6), so nobody asks for it.
void h2_exchange::tunnel(std::span<const field>) { CAF_APP_ASSERT(phase_ != phase::open); }

void h2_exchange::answered() {
  if (phase_ == phase::cancelled)
    return;
  phase_ = phase::answered;
  if (task_)
    host_.finished.push_back(std::move(task_)); // it may be what called us
  held_.clear();
  host_.session.release(stream_);
}

void h2_exchange::on_writable() {
  note_progress();
  go_on();
}

void h2_exchange::go_on() {
  if (phase_ == phase::sending)
    send_parts();
  else if (phase_ == phase::streaming && full_ && has_room() && task_) {
    full_ = false;
    task_->on_room();
  }
}

void h2_exchange::note_progress() noexcept {
  if (phase_ == phase::open || over_)
    return;
  const auto taken = sent_ - std::min<uint64_t>(sent_, host_.session.buffered(stream_));
  if (taken > taken_)
    output_since_ = host_.context.now;
  taken_ = taken;
}

// The content received so far is worth a time, at body_min_rate; then it is too little.
steady::time_point h2_exchange::body_deadline() const noexcept {
  using std::chrono::milliseconds;
  const auto& limits = host_.context.table->limits();
  const auto stalled = since_ + limits.body_timeout;
  if (limits.body_min_rate == 0)
    return stalled;
  constexpr uint64_t far_away = 24 * 365 * 3'600'000ull;
  const auto worth = std::min<uint64_t>(received_ * 1000 / limits.body_min_rate + 1, far_away);
  const auto rate = std::max<milliseconds>(limits::http::body_rate_grace, milliseconds{worth});
  return std::min(stalled, body_began_ + rate);
}

steady::time_point h2_exchange::deadline() const noexcept {
  auto due = steady::time_point::max();
  if (fading_)
    return since_ + fade_max;
  if (over_)
    return due;
  if (waits() && !body_done_ && !paused_ && !uninvited_)
    due = body_deadline();
  if (phase_ != phase::open && host_.session.buffered(stream_) > 0)
    due = std::min(due, output_since_ + host_.context.table->limits().send_timeout);
  return due;
}

void h2_exchange::on_deadline() {
  note_progress();
  const auto now = host_.context.now;
  if (now < deadline())
    return;
  if (fading_)
    return work_ended();
  if (phase_ != phase::open && host_.session.buffered(stream_) > 0 &&
      now >= output_since_ + host_.context.table->limits().send_timeout) {
    host_.context.counters->rejected(fault::slow_reader);
    return cancel(h2_code::cancel, to_string(close_reason::timeout));
  }
  if (phase_ == phase::open)
    return refuse(fault::slow_request, {});
  host_.context.counters->rejected(fault::slow_request);
  cancel(h2_code::cancel, to_string(close_reason::timeout));
}

} // namespace caf_app::http
