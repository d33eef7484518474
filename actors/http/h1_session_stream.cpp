// How an h1_session answers with more than it has in memory: parts of files, and content that its
// handler writes piece by piece.
#include "actors/http/h1_session.hpp"

#include "actors/http/h1_session_log.hpp"
#include "actors/http/h1_writer.hpp"
#include "actors/http/status.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

void h1_session::respond(const response& head, std::vector<content_part> content) {
  CAF_APP_ASSERT(phase_ == phase::open);
  uint64_t length = 0;
  for (const auto& part : content)
    length += part.bytes.size() + (part.file ? part.length : 0);
  if (!append_answer(head, h1_content::length, length))
    return answered(head.status, 0);
  auto files = false;
  for (auto& part : content) {
    context_.output.append(part.bytes);
    if (part.file && part.length > 0) {
      files = true;
      hand_over(std::move(part));
    } else if (context_.output.size() >= limits::http::direction_buffer_bytes) {
      flush();
    }
  }
  if (files && transport_.queued() > 0)
    answer_later(head.status, length);
  else
    answered(head.status, length);
}

// What is in the scratch buffer and the part go to the transport together.
void h1_session::hand_over(content_part&& part) {
  if (transport_.queued() == 0)
    output_since_ = context_.now;
  transport_.send_file(context_.output, std::move(part.file), part.offset, part.length);
  context_.output.clear();
  note_progress();
}

// A file that shrinks while it is sent fails the connection, so what became of the request is known
// when the client has it.
void h1_session::answer_later(uint16_t status, uint64_t body_bytes) {
  status_ = status;
  sent_ = body_bytes;
  finished_ = std::move(task_);
  phase_ = phase::sending;
  context_.counters->in_flight(wait_state::write).add();
  writing_ = true;
  if (!pumping_)
    pump({});
}

void h1_session::end_sending() noexcept {
  if (std::exchange(writing_, false))
    context_.counters->in_flight(wait_state::write).sub();
}

void h1_session::begin(const response& head, std::optional<uint64_t> length) {
  CAF_APP_ASSERT(phase_ == phase::open);
  framing_ = length               ? h1_content::length
             : minor_version_ > 0 ? h1_content::chunked
                                  : h1_content::none; // until the connection closes
  if (framing_ == h1_content::none && !is_bodiless(head.status))
    keep_alive_ = false;
  if (!append_answer(head, framing_, length.value_or(0)))
    silent_ = true;
  status_ = head.status;
  promised_ = length.value_or(0);
  sent_ = 0;
  phase_ = phase::streaming;
  if (!silent_ && !head.body.empty())
    write(head.body); // in one go with the head
  else if (!pumping_)
    flush();
}

void h1_session::write(std::string_view bytes) {
  CAF_APP_ASSERT(phase_ == phase::streaming);
  if (bytes.empty() || silent_)
    return;
  if (framing_ == h1_content::length && bytes.size() > promised_ - sent_)
    return cut(fault::none, close_reason::aborted);
  sent_ += bytes.size();
  if (bytes.size() >= limits::http::direction_buffer_bytes) { // the scratch buffer stays small
    if (framing_ == h1_content::chunked)
      context_.output += chunk_head{bytes.size()}.view();
    flush();
    hand_over(bytes);
    if (framing_ == h1_content::chunked)
      context_.output += chunk_end;
  } else if (framing_ == h1_content::chunked) {
    append_chunk(context_.output, bytes);
  } else {
    context_.output += bytes;
  }
  if (!pumping_ || context_.output.size() >= limits::http::direction_buffer_bytes / 4)
    flush();
}

bool h1_session::has_room() const {
  return phase_ != phase::closed && transport_.queued() < limits::http::direction_buffer_bytes;
}

void h1_session::finish(std::span<const field> trailers) {
  CAF_APP_ASSERT(phase_ == phase::streaming);
  if (!silent_ && framing_ == h1_content::length && sent_ < promised_)
    return cut(fault::none, close_reason::aborted);
  if (!silent_ && framing_ == h1_content::chunked && !append_last_chunk(context_.output, trailers))
    append_last_chunk(context_.output);
  answered(status_, sent_);
}

void h1_session::abort() {
  CAF_APP_ASSERT(phase_ == phase::streaming);
  cut(fault::none, close_reason::aborted);
}

void h1_session::inform(uint16_t status, std::span<const field> fields) {
  CAF_APP_ASSERT(phase_ == phase::open);
  if (minor_version_ == 0)
    return;
  append_interim(context_.output, status, fields);
  if (!pumping_)
    flush();
}

void h1_session::invite() {
  if (phase_ != phase::open || !std::exchange(awaits_continue_, false))
    return;
  since_ = body_began_ = context_.now; // until now the client was right to be silent
  append_interim(context_.output, 100);
  if (!pumping_)
    flush();
}

void h1_session::tunnel(std::span<const field> fields) {
  CAF_APP_ASSERT(phase_ == phase::open && body_done_ && minor_version_ > 0);
  std::vector<field> lines{{"Connection", "Upgrade", known_field::connection}};
  lines.insert(lines.end(), fields.begin(), fields.end());
  const auto ok = append_interim(context_.output, 101, lines);
  CAF_APP_ASSERT(ok); // handlers check what comes from elsewhere
  framing_ = h1_content::none;
  status_ = 101;
  promised_ = sent_ = 0;
  phase_ = phase::streaming;
  tunnel_ = true;
  keep_alive_ = body_done_ = false;
  if (listener_.draining)
    drained_ = context_.now;
  if (!pumping_)
    pump({}); // what the client has sent already
}

void h1_session::note_upstream(std::chrono::microseconds waited) {
  if (log_facts_)
    log_facts_->upstream = waited;
}

void h1_session::note_cache(std::string_view how) {
  if (log_facts_)
    log_facts_->cache = how;
}

void h1_session::pause_content() {
  if (!std::exchange(content_paused_, true))
    paused_at_ = context_.now;
}

void h1_session::resume_content() {
  if (!std::exchange(content_paused_, false))
    return;
  since_ = context_.now; // the client could not send
  body_began_ += context_.now - paused_at_;
  if (!pumping_)
    pump({});
}

} // namespace caf_app::http
