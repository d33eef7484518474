// What the owner of an HTTP/2 session does with it, and how a connection ends.
#include "actors/http/h2_session.hpp"

#include <algorithm>

#include "actors/http/h2_core.hpp"
#include "actors/http/h2_wire.hpp"
#include "actors/http/status.hpp"

namespace caf_app::http {

namespace {

constexpr size_t output_target = 64 * 1024;        // DATA is added up to here
constexpr size_t output_pause = 2 * output_target; // input waits while more is queued

void append_be32(std::string& out, uint32_t value) {
  for (auto shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

} // namespace

struct h2_session::impl {
  impl(const h2_options& given, steady::time_point now)
      : options(given), core(options, now), wire(make_h2_wire(options, core)),
        settings_deadline(now + given.settings_timeout) {
    core.connect(*wire);
  }

  size_t queued() { return core.output().size() - offset; }
  h2_stream* writable(int32_t id);
  void resume(h2_stream& stream);
  void flush_control();
  void settle();
  void shut_down();
  void end(h2_code code, fault reason);

  const h2_options options;
  h2_core core;
  h2_frame_scanner scanner;
  std::unique_ptr<h2_wire> wire;
  steady::time_point settings_deadline;
  std::optional<steady::time_point> last_goaway_at; // set between the two steps
  size_t offset = 0;                                // of what was not sent yet
  h2_block block;                                   // scratch
  fault why = fault::none;
  bool shutting_down = false;
  bool closing = false;
};

// The stream, if it takes content.
h2_stream* h2_session::impl::writable(int32_t id) {
  const auto stream = core.find(id);
  const auto takes = stream && stream->responded && !stream->silent && !stream->dead &&
                     !stream->closed && !stream->out.is_finished();
  return takes ? stream : nullptr;
}

void h2_session::impl::resume(h2_stream& stream) {
  if (stream.starved) {
    stream.starved = false;
    wire->resume(stream.id);
  }
}

// Resets and the library's answers go out at once, so that what they cost is counted now.
void h2_session::impl::flush_control() {
  while (wire->has_control_frames() && wire->send_some(core.output()))
    ;
}

// What follows from what was received or sent.
void h2_session::impl::settle() {
  if (closing)
    return;
  // The library has given up by itself: on something before the frame that could not be paid.
  if (const auto code = core.goaway_code(); code && *code != h2_code::no_error) {
    why = fault::h2_protocol;
    closing = true;
    return;
  }
  if (core.spent())
    return end(h2_code::enhance_your_calm, fault::h2_abuse);
  if (core.out_of_order())
    return end(h2_code::protocol_error, fault::h2_protocol);
  if (core.overlong())
    return end(h2_code::enhance_your_calm, fault::h2_protocol);
  if (core.strained())
    shut_down();
  if (last_goaway_at && (core.shutdown_seen() || core.now() >= *last_goaway_at)) {
    last_goaway_at.reset();
    wire->send_last_goaway();
  }
  closing = wire->is_over();
}

void h2_session::impl::shut_down() {
  if (shutting_down)
    return;
  shutting_down = true;
  last_goaway_at = core.now() + options.goaway_grace;
  wire->announce_shutdown();
  flush_control();
  wire->probe_shutdown();
}

// By hand, because the library may be past sending anything.
void h2_session::impl::end(h2_code code, fault reason) {
  auto& out = core.output();
  out.append("\0\0\x08\x07\0\0\0\0\0", 9); // length 8, GOAWAY, stream 0
  append_be32(out, static_cast<uint32_t>(wire->last_stream()));
  append_be32(out, static_cast<uint32_t>(code));
  core.on_goaway_sent(code);
  why = reason;
  closing = true;
}

h2_session::h2_session(const h2_options& options, steady::time_point now)
    : impl_(std::make_unique<impl>(options, now)) {}

h2_session::~h2_session() = default;

void h2_session::receive(std::string_view bytes, steady::time_point now) {
  auto& self = *impl_;
  self.core.set_time(now);
  if (self.closing)
    return;
  const auto admitted =
      self.scanner.scan(bytes, [&](const h2_frame_head& frame) { return self.core.admit(frame); });
  const auto result = self.wire->receive(bytes.substr(0, admitted));
  self.core.note_section(self.scanner);
  self.flush_control();
  if (!self.core.stopped())
    switch (result) {
      case h2_wire_result::fine: break;
      case h2_wire_result::bad_preface:
        return self.end(h2_code::protocol_error, fault::h2_protocol);
      case h2_wire_result::flooded: return self.end(h2_code::enhance_your_calm, fault::h2_abuse);
      case h2_wire_result::stopped:
      case h2_wire_result::failed: return self.end(h2_code::internal_error, fault::h2_protocol);
    }
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
    while (self.queued() < output_target && self.wire->send_some(out))
      ;
    self.settle();
    self.flush_control(); // of what settling has added
  }
  return std::string_view{out}.substr(self.offset);
}

void h2_session::sent(size_t bytes) {
  auto& self = *impl_;
  auto& out = self.core.output();
  self.offset += std::min(bytes, self.queued());
  if (self.offset == out.size() || self.offset >= output_target) {
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
