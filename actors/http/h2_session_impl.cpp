#include "actors/http/h2_session_impl.hpp"

namespace caf_app::http {

namespace {

void append_be32(std::string& out, uint32_t value) {
  for (auto shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

} // namespace

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

// Resets and the library's answers go out at once, so that what they cost is counted now. nghttp2
// closes the stream of a reset when it is asked for the frame after it.
void h2_session::impl::flush_control() {
  auto sent = false;
  while (wire->has_control_frames() && wire->send_some(core.output()))
    sent = true;
  if (sent && queued() < h2_output_target)
    wire->send_some(core.output());
}

// Judges each piece before the next one is looked at. @returns whether to go on
bool h2_session::impl::feed(std::string_view piece) {
  switch (wire->receive(piece)) {
    case h2_wire_result::fine: settle(); break;
    case h2_wire_result::bad_preface: end(h2_code::protocol_error, fault::h2_protocol); break;
    case h2_wire_result::flooded: end(h2_code::enhance_your_calm, fault::h2_abuse); break;
    case h2_wire_result::failed: end(h2_code::internal_error, fault::h2_protocol); break;
  }
  return !closing;
}

// What follows from what was received or sent.
void h2_session::impl::settle() {
  if (closing)
    return;
  flush_control();
  // The library has given up by itself: on something before the frame that could not be paid.
  if (const auto code = core.goaway_code(); code && *code != h2_code::no_error) {
    why = fault::h2_protocol;
    closing = true;
    return;
  }
  if (core.spent())
    return end(h2_code::enhance_your_calm, fault::h2_abuse);
  if (core.oversized())
    return end(h2_code::frame_size_error, fault::h2_protocol);
  if (core.out_of_order())
    return end(h2_code::protocol_error, fault::h2_protocol);
  if (core.overlong())
    return end(h2_code::enhance_your_calm, fault::h2_protocol);
  if (core.strained())
    shut_down();
  if (last_goaway_at && (core.shutdown_seen() || core.now() >= *last_goaway_at)) {
    last_goaway_at.reset();
    wire->send_last_goaway();
    flush_control();
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
  flush_control();
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

} // namespace caf_app::http
