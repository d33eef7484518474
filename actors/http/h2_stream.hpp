// What an HTTP/2 session remembers of one stream, and the decisions that need nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "actors/http/h2_request.hpp"
#include "actors/http/h2_response.hpp"

namespace caf_app::http {

/// Kept from its head until both sides have forgotten it.
struct h2_stream {
  explicit h2_stream(int32_t id) : id(id) {}

  const int32_t id;
  std::unique_ptr<h2_section> section; ///< while its lines arrive
  h2_outflow out;
  h2_block trailers;
  std::optional<uint64_t> content_length; ///< announced by the client
  uint64_t received = 0;                  ///< bytes of content
  uint64_t discarded = 0;                 ///< bytes of content that nobody wanted
  size_t unconsumed = 0;                  ///< bytes of content that the owner has not given back
  bool given = false;                     ///< the owner knows this stream
  bool head_only = false;                 ///< answers HEAD
  bool responded = false;                 ///< a final response head was submitted
  bool silent = false;                    ///< no content follows it
  bool starved = false;                   ///< nghttp2 waits until there is content
  bool was_full = false;                  ///< the owner waits until there is space
  bool peer_ended = false;                ///< END_STREAM received
  bool done = false;                      ///< END_STREAM sent
  bool dead = false;                      ///< reset by the owner: no more events
  bool closed = false;                    ///< nghttp2 has forgotten it
  bool released = false;                  ///< the owner has forgotten it

  /// Nobody wants the content that still arrives.
  bool discards() const noexcept { return released || dead; }

  /// The owner has said all that it is going to say.
  bool answer_is_whole() const noexcept { return responded && (silent || out.is_finished()); }

  /// The client's next bytes are known to be more than `most`, hence not worth reading away.
  bool expects_more_than(uint64_t most) const noexcept {
    return content_length && *content_length > received && *content_length - received > most;
  }
};

} // namespace caf_app::http
