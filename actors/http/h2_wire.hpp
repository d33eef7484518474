// What an HTTP/2 session wants of a frame library. The only implementation is nghttp2's, in
// h2_session.cpp; what arrives goes to an h2_core.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "actors/http/h2_session.hpp"

namespace caf_app::http {

class h2_core;
struct h2_stream;

enum class h2_wire_result : uint8_t {
  fine,
  bad_preface, ///< the client does not speak HTTP/2
  flooded,     ///< too many answers of the library queue up
  failed,      ///< the library is out of memory or order
};

/// Calls queue frames; send_some() serialises them.
class h2_wire {
public:
  virtual ~h2_wire() = default;

  virtual void send_reset(int32_t stream, h2_code code) = 0;

  /// Gives the client window of a stream back.
  virtual void give_window(int32_t stream, size_t bytes) = 0;

  /// Sends a response head; content comes from `stream.out` as window allows.
  virtual void send_response(h2_stream& stream, const h2_block& block, h2_content content) = 0;
  virtual void send_interim(int32_t stream, const h2_block& block) = 0;

  /// There is content again, or the end, for a stream that was starved.
  virtual void resume(int32_t stream) = 0;

  /// GOAWAY with the highest id.
  virtual void announce_shutdown() = 0;

  /// A PING whose answer shows that the client has seen what was sent before. PING overtakes other
  /// frames that are queued, so those have to be serialised first.
  virtual void probe_shutdown() = 0;

  /// GOAWAY with the last stream that is served.
  virtual void send_last_goaway() = 0;

  /// Feeds the library a piece of h2_frame_scanner; it calls the core.
  virtual h2_wire_result receive(std::string_view bytes) = 0;

  /// Appends frames to `out`, about one. @returns false if there are none, or the library failed
  virtual bool send_some(std::string& out) = 0;

  /// Frames other than DATA wait.
  virtual bool has_control_frames() const = 0;

  /// Nothing is to be sent or received any more.
  virtual bool is_over() const = 0;

  /// The highest stream that was given to the core.
  virtual int32_t last_stream() const = 0;
};

/// @param core must outlive the wire; its first frames wait to be sent
std::unique_ptr<h2_wire> make_h2_wire(const h2_options& options, h2_core& core);

} // namespace caf_app::http
