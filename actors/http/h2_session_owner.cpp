// What the owner of an HTTP/2 session does with it.
#include "actors/http/h2_session.hpp"

#include <algorithm>

#include "actors/http/h2_session_impl.hpp"
#include "actors/http/status.hpp"

namespace caf_app::http {

namespace {

constexpr size_t output_pause = 2 * h2_output_target; // input waits while more is queued

} // namespace

h2_session::h2_session(const h2_options& options, steady::time_point now)
    : impl_(std::make_unique<impl>(options, now)) {}

h2_session::~h2_session() = default;

void h2_session::receive(std::string_view bytes, steady::time_point now) {
  auto& self = *impl_;
  self.core.set_time(now);
  if (self.closing)
    return;
  self.scanner.scan(
      bytes, [&](const h2_frame_head& frame) { return self.core.admit(frame); },
      [&](std::string_view piece) { return self.feed(piece); });
  self.core.note_section(self.scanner);
  self.settle();
}

void h2_session::take_events(std::vector<h2_event>& events) { impl_->core.take_events(events); }

bool h2_session::wants_input() const noexcept { return impl_->queued() < output_pause; }

void h2_session::consumed(int32_t id, size_t bytes) {
  if (const auto stream = impl_->core.find(id))
    impl_->core.consumed(*stream, bytes);
}

bool h2_session::respond(int32_t id, const h2_response_head& head, h2_content content) {
  auto& self = *impl_;
  const auto stream = self.core.find(id);
  if (!stream || stream->responded || stream->dead || stream->closed || head.status < 200 ||
      !self.block.set(head))
    return false;
  stream->responded = true;
  stream->silent = content == h2_content::none || stream->head_only || is_bodiless(head.status);
  if (!stream->silent)
    stream->out.promise(head.content_length);
  self.core.earn_response();
  self.wire->send_response(*stream, self.block,
                           stream->silent ? h2_content::none : h2_content::follows);
  return true;
}

bool h2_session::interim(int32_t id, const h2_response_head& head) {
  auto& self = *impl_;
  const auto stream = self.core.find(id);
  if (!stream || stream->responded || stream->dead || stream->closed || head.status >= 200 ||
      !self.block.set(head))
    return false;
  self.wire->send_interim(id, self.block);
  return true;
}

void h2_session::write(int32_t id, std::string_view bytes) {
  auto& self = *impl_;
  const auto stream = self.writable(id);
  if (!stream || bytes.empty())
    return;
  if (!stream->out.write(bytes))
    return self.core.reset(*stream, h2_code::internal_error);
  if (stream->out.waiting().size() >= self.options.stream_buffer)
    stream->was_full = true;
  self.resume(*stream);
}

void h2_session::finish(int32_t id, std::span<const field> trailers) {
  auto& self = *impl_;
  const auto stream = self.writable(id);
  if (!stream)
    return;
  if (!stream->out.finish())
    return self.core.reset(*stream, h2_code::internal_error);
  stream->trailers.set_trailers(trailers);
  self.resume(*stream);
}

size_t h2_session::buffered(int32_t id) const {
  const auto stream = impl_->core.find(id);
  return stream ? stream->out.waiting().size() : 0;
}

void h2_session::reset(int32_t id, h2_code code) {
  if (const auto stream = impl_->core.find(id))
    impl_->core.reset(*stream, code);
}

void h2_session::release(int32_t id) {
  if (const auto stream = impl_->core.find(id))
    impl_->core.release(*stream);
}

size_t h2_session::open_streams() const noexcept { return impl_->core.places(); }

std::string_view h2_session::pending_output(steady::time_point now) {
  auto& self = *impl_;
  self.core.set_time(now);
  auto& out = self.core.output();
  if (!self.closing) {
    while (self.queued() < h2_output_target && self.wire->send_some(out))
      ;
    self.settle();
  }
  return std::string_view{out}.substr(self.offset);
}

void h2_session::sent(size_t bytes) {
  auto& self = *impl_;
  auto& out = self.core.output();
  self.offset += std::min(bytes, self.queued());
  if (self.offset == out.size() || self.offset >= h2_output_target) {
    out.erase(0, self.offset);
    self.offset = 0;
  }
}

void h2_session::shut_down(steady::time_point now) {
  impl_->core.set_time(now);
  impl_->shut_down();
}

void h2_session::go_away(h2_code code, steady::time_point now) {
  impl_->core.set_time(now);
  if (!impl_->closing)
    impl_->end(code, fault::none);
}

bool h2_session::closing() const noexcept { return impl_->closing; }

fault h2_session::why() const noexcept { return impl_->why; }

std::optional<h2_code> h2_session::goaway_code() const noexcept {
  return impl_->core.goaway_code();
}

const std::array<uint64_t, h2_abuse_count>& h2_session::spent() const noexcept {
  return impl_->core.counts();
}

std::optional<h2_abuse> h2_session::abuse() const noexcept { return impl_->core.abuse(); }

std::optional<steady::time_point> h2_session::section_since() const noexcept {
  return impl_->core.section_since();
}

std::optional<steady::time_point> h2_session::deadline() const {
  const auto& self = *impl_;
  if (self.closing)
    return std::nullopt;
  auto result = self.core.deadline();
  const auto earlier = [&](steady::time_point time) {
    result = result ? std::min(*result, time) : time;
  };
  if (!self.core.settings_acked())
    earlier(self.settings_deadline);
  if (self.last_goaway_at)
    earlier(*self.last_goaway_at);
  return result;
}

void h2_session::expire(steady::time_point now) {
  auto& self = *impl_;
  self.core.set_time(now);
  if (self.closing)
    return;
  if (!self.core.settings_acked() && now >= self.settings_deadline)
    return self.end(h2_code::settings_timeout, fault::h2_settings);
  self.core.expire();
  self.settle();
}

} // namespace caf_app::http
