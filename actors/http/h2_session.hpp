// One HTTP/2 connection of the server side, sans-IO: bytes in, events and bytes out. nghttp2 does
// frames, HPACK and windows behind it; what it leaves open is decided here: how many streams, who
// resets them, abuse, deadlines, the end. RFC 9113, RFC 9218 (urgency orders output).
//
// A stream, as the owner of the session sees it:
//
//   request --> data* --> [trailers] --> end          (what the client sends)
//      `--> respond() --> write()* --> finish() --> done
//   any --> reset                                      (the client or a fault ended it early)
//
// The owner calls release() exactly once per `request` event, when the work behind it is over;
// until then the stream keeps its place among `streams`, even if it was reset long ago.
//
// After receive(), pending_output() and expire() the owner takes the events, serves them, and sends
// what pending_output() gives; once closing() and with nothing pending it closes the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "actors/http/h2_budget.hpp"
#include "actors/http/h2_request.hpp"
#include "actors/http/h2_response.hpp"

namespace caf_app::http {

struct h2_options {
  uint32_t streams = 100;                           ///< places; above: REFUSED_STREAM
  uint32_t window = 64 * 1024;                      ///< per stream, bytes
  uint32_t connection_window = 1024 * 1024;         ///< bytes
  std::chrono::milliseconds settings_timeout{5000}; ///< until preface and acknowledged SETTINGS
  std::chrono::milliseconds goaway_grace{1000};     ///< between the two steps of a shutdown
  std::chrono::milliseconds discard_time{2000};     ///< for content after a whole response
  uint64_t discard_bytes = 256 * 1024;              ///< the same in bytes, then NO_ERROR
  size_t stream_buffer = 64 * 1024;                 ///< bytes of a response that may wait
  h2_section_limits section;
  h2_budget_limits budget;
};

/// Codes of RST_STREAM and GOAWAY (RFC 9113 §7) that callers use.
enum class h2_code : uint32_t {
  no_error = 0x0,
  protocol_error = 0x1,
  internal_error = 0x2,
  flow_control_error = 0x3,
  settings_timeout = 0x4,
  frame_size_error = 0x6,
  refused_stream = 0x7,
  cancel = 0x8,
  enhance_your_calm = 0xb,
};

struct h2_event {
  enum class kind : uint8_t {
    request,  ///< `request` is set; always followed by `end` or `reset`
    data,     ///< `data` is set; each byte has to be given back with consumed()
    trailers, ///< `trailers` is set
    end,      ///< the client has sent everything
    writable, ///< buffered() has fallen by half after write() had filled the buffer
    done,     ///< the last byte of the response went into the output
    reset,    ///< nothing more comes or goes; `code` tells why
  };

  kind what;
  int32_t stream;
  h2_code code = h2_code::no_error;
  std::string_view data; ///< within the bytes given to receive(), valid until they change
  std::unique_ptr<h2_request> request;
  std::vector<owned_field> trailers;
};

/// Whether content follows a response head.
enum class h2_content : uint8_t { none, follows };

/// One connection. One thread. No time runs backwards.
class h2_session {
public:
  h2_session(const h2_options& options, steady::time_point now);
  ~h2_session();

  // -- what the client sends ---------------------------------------------------------

  /// Takes all of `bytes`.
  void receive(std::string_view bytes, steady::time_point now);

  /// Appends what happened since the last call.
  void take_events(std::vector<h2_event>& events);

  /// False while so much output waits that the client has to read first.
  bool wants_input() const noexcept;

  /// Gives the window of `bytes` of content back to the client. Unknown streams are ignored.
  void consumed(int32_t stream, size_t bytes);

  // -- what the client gets ------------------------------------------------------------

  /// Begins the response. With HEAD, 204 and 304 nothing follows, whatever `content` says.
  /// @returns false if a field is not valid (nothing was sent) or the stream is gone
  bool respond(int32_t stream, const h2_response_head& head, h2_content content);

  /// An interim response, 100 or 103.
  bool interim(int32_t stream, const h2_response_head& head);

  /// Takes all of `bytes`. More than the announced length resets the stream with INTERNAL_ERROR.
  void write(int32_t stream, std::string_view bytes);

  /// Ends the response. Less than the announced length resets the stream.
  void finish(int32_t stream, std::span<const field> trailers = {});

  /// Bytes of content that wait for window; stop writing at options.stream_buffer.
  size_t buffered(int32_t stream) const;

  /// Ends a stream early. No `reset` event follows.
  void reset(int32_t stream, h2_code code);

  /// The work behind a request is over. A response that was not finished is reset with
  /// INTERNAL_ERROR; content that still comes is read away for a while. What waits in a finished
  /// response is still sent: `done` or `reset` then tells its end.
  void release(int32_t stream);

  /// Streams that have a place.
  size_t open_streams() const noexcept;

  // -- the connection ------------------------------------------------------------------

  /// @returns what to send now, up to about 64 KiB; empty if nothing
  std::string_view pending_output(steady::time_point now);

  /// The first `bytes` of it were sent.
  void sent(size_t bytes);

  /// Begins the two steps of a graceful GOAWAY (RFC 9113 §6.8): streams finish.
  void shut_down(steady::time_point now);

  /// Sends a GOAWAY and ends everything.
  void go_away(h2_code code, steady::time_point now);

  /// True once the connection has to be closed after its pending output.
  bool closing() const noexcept;

  /// Why it has to: h2_protocol, h2_settings, h2_abuse, or none for a graceful end.
  fault why() const noexcept;

  /// The code of the last GOAWAY sent, nullopt if none was.
  std::optional<h2_code> goaway_code() const noexcept;

  /// Whose budget was spent, if why() is h2_abuse because of that.
  std::optional<h2_abuse> abuse() const noexcept;

  /// Since when a field section is being received; nullopt if none is.
  std::optional<steady::time_point> section_since() const noexcept;

  /// How often each kind of abuse was paid for.
  const std::array<uint64_t, h2_abuse_count>& spent() const noexcept;

  /// When expire() wants to be called; nullopt: never. Ask after each call.
  std::optional<steady::time_point> deadline() const;

  /// Does what deadlines ask for: SETTINGS that are late, the second step of a shutdown, content
  /// that is read away for too long.
  void expire(steady::time_point now);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace caf_app::http
