// nghttp2 as an h2_wire: this is the only file that knows it. What the frames mean for streams and
// abuse is h2_core's, what the owner of a session does is in h2_session_owner.cpp.
#include "actors/http/h2_session.hpp"

#include <algorithm>

#include <nghttp2/nghttp2.h>

#include "actors/http/h2_core.hpp"
#include "actors/http/h2_wire.hpp"
#include "caf_app/base/assert.hpp"

namespace caf_app::http {

namespace {

constexpr size_t queued_acks_max = 1000;
constexpr size_t settings_entries_max = 32;
constexpr uint32_t streams_unlimited = 0x7fffffff;
constexpr uint32_t initial_window = 65535; // RFC 9113 §6.9.2
constexpr uint8_t shutdown_ping[8] = {'s', 'h', 'u', 't', 'd', 'o', 'w', 'n'};

std::string_view text(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

std::vector<nghttp2_nv> to_nv(const h2_block& block) {
  const auto bytes = reinterpret_cast<uint8_t*>(const_cast<char*>(block.bytes()));
  std::vector<nghttp2_nv> result;
  result.reserve(block.lines().size());
  for (const auto& [name, name_size, value, value_size] : block.lines())
    result.push_back({bytes + name, bytes + value, name_size, value_size, NGHTTP2_NV_FLAG_NONE});
  return result;
}

// Callbacks of nghttp2: none throws, and none ends the session itself.

h2_core& core_of(void* user) { return *static_cast<h2_core*>(user); }

h2_stream* stream_of(nghttp2_session* session, int32_t id) {
  return static_cast<h2_stream*>(nghttp2_session_get_stream_user_data(session, id));
}

int on_begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  auto& core = core_of(user);
  const auto id = frame->hd.stream_id;
  const auto stream =
      frame->headers.cat == NGHTTP2_HCAT_REQUEST ? core.open(id) : stream_of(session, id);
  if (!stream)
    return 0;
  stream->section = std::make_unique<h2_section>(core.options().section);
  nghttp2_session_set_stream_user_data(session, id, stream);
  return 0;
}

int on_header(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
              size_t name_size, const uint8_t* value, size_t value_size, uint8_t, void*) {
  const auto stream = stream_of(session, frame->hd.stream_id);
  if (stream && stream->section)
    stream->section->add(text(name, name_size), text(value, value_size));
  return 0;
}

// nghttp2 would skip a field with bad bytes; RFC 9113 §8.2.1 calls the request malformed.
int on_invalid_header(nghttp2_session*, const nghttp2_frame*, const uint8_t*, size_t,
                      const uint8_t*, size_t, uint8_t, void*) {
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  auto& core = core_of(user);
  const auto stream = stream_of(session, frame->hd.stream_id);
  const auto ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  const auto acks = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
      if (!stream || !stream->section)
        break;
      if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        core.on_head(*stream, ends);
      else
        core.on_trailers(*stream);
      break;
    case NGHTTP2_DATA:
      if (frame->hd.length > 0 && frame->hd.length == frame->data.padlen && !ends)
        core.pay(h2_abuse::control);
      if (stream && ends)
        core.on_peer_end(*stream);
      break;
    case NGHTTP2_SETTINGS:
      if (acks)
        core.on_settings_acked();
      break;
    case NGHTTP2_PING:
      if (acks && text(frame->ping.opaque_data, 8) == text(shutdown_ping, 8))
        core.on_shutdown_seen();
      break;
    default: break;
  }
  return 0;
}

int on_data_chunk(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size,
                  void* user) {
  // At once: memory is bounded by the windows of streams, and a slow one does not stall the others.
  nghttp2_session_consume_connection(session, size);
  if (const auto stream = stream_of(session, id))
    core_of(user).on_data(*stream, text(data, size));
  return 0;
}

int on_stream_close(nghttp2_session* session, int32_t id, uint32_t code, void* user) {
  if (const auto stream = stream_of(session, id))
    core_of(user).on_closed(*stream, static_cast<h2_code>(code));
  return 0;
}

int before_frame_send(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  auto& core = core_of(user);
  if (frame->hd.type == NGHTTP2_RST_STREAM) {
    core.on_reset_sent(static_cast<h2_code>(frame->rst_stream.error_code));
  } else if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) {
    if (const auto stream = stream_of(session, frame->hd.stream_id))
      core.on_end_sent(*stream);
  } else if (frame->hd.type == NGHTTP2_GOAWAY) {
    core.on_goaway_sent(static_cast<h2_code>(frame->goaway.error_code));
  }
  return 0;
}

ssize_t read_content(nghttp2_session* session, int32_t id, uint8_t*, size_t length, uint32_t* flags,
                     nghttp2_data_source* source, void*) {
  auto& stream = *static_cast<h2_stream*>(source->ptr);
  const auto waiting = stream.out.waiting().size();
  if (waiting == 0 && !stream.out.is_finished()) {
    stream.starved = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (waiting <= length && stream.out.is_finished()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream.trailers.lines().empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const auto lines = to_nv(stream.trailers);
      nghttp2_submit_trailer(session, id, lines.data(), lines.size());
    }
  }
  return static_cast<ssize_t>(std::min(waiting, length));
}

int send_content(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t length,
                 nghttp2_data_source* source, void* user) {
  auto& core = core_of(user);
  auto& stream = *static_cast<h2_stream*>(source->ptr);
  core.output().append(text(head, 9)).append(stream.out.waiting().substr(0, length));
  core.on_content_sent(stream, length);
  if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
    core.on_end_sent(stream);
  return NGHTTP2_ERR_PAUSE; // else all windows would be emptied in one go
}

class nghttp2_wire final : public h2_wire {
public:
  nghttp2_wire(const h2_options& options, h2_core& core);
  ~nghttp2_wire() override { nghttp2_session_del(session_); }

  void send_reset(int32_t stream, h2_code code) override {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, static_cast<uint32_t>(code));
  }

  void give_window(int32_t stream, size_t bytes) override {
    nghttp2_session_consume_stream(session_, stream, bytes);
  }

  void send_response(h2_stream& stream, const h2_block& block, h2_content content) override {
    const auto lines = to_nv(block);
    nghttp2_data_provider provider{{.ptr = &stream}, read_content};
    nghttp2_submit_response(session_, stream.id, lines.data(), lines.size(),
                            content == h2_content::follows ? &provider : nullptr);
  }

  void send_interim(int32_t stream, const h2_block& block) override {
    const auto lines = to_nv(block);
    nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream, nullptr, lines.data(), lines.size(),
                           nullptr);
  }

  void resume(int32_t stream) override { nghttp2_session_resume_data(session_, stream); }
  void announce_shutdown() override { nghttp2_submit_shutdown_notice(session_); }
  void probe_shutdown() override {
    nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, shutdown_ping);
  }

  void send_last_goaway() override {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last_stream(), NGHTTP2_NO_ERROR, nullptr, 0);
  }

  h2_wire_result receive(std::string_view bytes) override;
  bool send_some(std::string& out) override;
  bool has_control_frames() const override {
    return nghttp2_session_get_outbound_queue_size(session_) > 0;
  }

  bool is_over() const override {
    return failed_ ||
           (!nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_));
  }

  int32_t last_stream() const override { return nghttp2_session_get_last_proc_stream_id(session_); }

private:
  uint32_t streams_;
  bool first_ = true; // the SETTINGS frame has not been sent
  bool failed_ = false;
  nghttp2_session* session_ = nullptr;
};

nghttp2_wire::nghttp2_wire(const h2_options& options, h2_core& core) : streams_(options.streams) {
  nghttp2_session_callbacks* callbacks = nullptr;
  CAF_APP_ASSERT(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
  nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, before_frame_send);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, send_content);
  nghttp2_option* option = nullptr;
  CAF_APP_ASSERT(nghttp2_option_new(&option) == 0);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_outbound_ack(option, queued_acks_max);
  nghttp2_option_set_max_settings(option, settings_entries_max);
  nghttp2_option_set_max_continuations(option, SIZE_MAX); // h2_core counts
  nghttp2_option_set_stream_reset_rate_limit(option, 1000, 33);
  nghttp2_option_set_builtin_recv_extension_type(option, NGHTTP2_PRIORITY_UPDATE);
  CAF_APP_ASSERT(nghttp2_session_server_new2(&session_, callbacks, &core, option) == 0);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  const nghttp2_settings_entry settings[]{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams_unlimited},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(options.section.bytes)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  if (options.connection_window > initial_window)
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                          static_cast<int32_t>(options.connection_window));
}

h2_wire_result nghttp2_wire::receive(std::string_view bytes) {
  const auto result = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  switch (result) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC: return h2_wire_result::bad_preface;
    case NGHTTP2_ERR_FLOODED: return h2_wire_result::flooded;
    default: return result < 0 ? h2_wire_result::failed : h2_wire_result::fine;
  }
}

bool nghttp2_wire::send_some(std::string& out) {
  const auto before = out.size();
  const uint8_t* bytes = nullptr;
  const auto size = nghttp2_session_mem_send(session_, &bytes);
  failed_ = size < 0;
  if (size > 0)
    out.append(text(bytes, static_cast<size_t>(size)));
  if (first_ && size > 0) {
    // nghttp2 answers a stream over its limit with GOAWAY. We refuse that stream only, so nghttp2
    // must not know the limit that the client is told.
    first_ = false;
    constexpr size_t value_of_first_entry = 9 + 2;
    for (size_t i = 0; i < 4; ++i)
      out[before + value_of_first_entry + i] = static_cast<char>(streams_ >> (24 - 8 * i));
  }
  return out.size() > before;
}

} // namespace

std::unique_ptr<h2_wire> make_h2_wire(const h2_options& options, h2_core& core) {
  return std::make_unique<nghttp2_wire>(options, core);
}

} // namespace caf_app::http
