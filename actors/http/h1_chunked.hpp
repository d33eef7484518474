// Decodes the chunked coding, zero copy, and collects trailers. RFC 9112 §7.1. Stricter than the
// grammar: 1 to 16 digits, sizes below 2^63, no blanks before ';', CRLF only.
//
//   size -> (extension) -> size_lf -> data -> data_cr -> data_lf -> size
//                             '-> (size 0) trailers -> done
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/rejection.hpp"

namespace caf_app::http {

/// A field that owns its bytes; the name is in lower case.
struct owned_field {
  std::string name;
  std::string value;
};

/// Limits of content. Bytes, but for max_trailers.
struct h1_body_limits {
  uint64_t max_body = 10 * 1024 * 1024;
  size_t max_chunk_extensions = 4 * 1024; ///< per body
  size_t max_trailer_bytes = 32 * 1024;
  size_t max_trailers = 100;
};

enum class h1_body_event : uint8_t {
  need_more, ///< all bytes are consumed
  data,  ///< `data` holds content; call again with what was not consumed, even if that is nothing
  done,  ///< the content ended; what was not consumed belongs to the next request
  error, ///< `error` tells why; close, and parse nothing more
};

/// One step of a body decoder.
struct h1_body_step {
  size_t consumed = 0;
  std::span<const char> data; ///< a part of the bytes given to feed()
  h1_body_event event = h1_body_event::need_more;
  fault error = fault::none;
};

class h1_chunked {
public:
  explicit h1_chunked(h1_body_limits limits = {}) : limits_(limits) {}

  /// Takes bytes that follow those consumed by the last call; may be called with none.
  /// Errors: fault::chunk, fault::body_size, fault::head_size (trailers over their limits).
  h1_body_step feed(std::span<const char> bytes);

  /// Trailers that may be passed on, after `done`: not those about framing, routing, authentication
  /// or content. RFC 9110 §6.5.1
  const std::vector<owned_field>& trailers() const noexcept { return trailers_; }

  /// Bytes of content so far.
  uint64_t received() const noexcept { return received_; }

private:
  enum class phase : uint8_t {
    size,
    extension_start,
    extension_name,
    extension_name_blank,
    extension_value_start,
    extension_token,
    extension_quoted,
    extension_escape,
    extension_end,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer,
    done,
  };

  fault on_byte(char c);
  fault on_size(char c);
  fault on_extension(char c);
  fault on_size_end();
  fault on_trailer(char c);
  fault finish_trailer();

  h1_body_limits limits_;
  phase phase_ = phase::size;
  int digits_ = 0;
  uint64_t remaining_ = 0; // of the chunk
  uint64_t received_ = 0;
  size_t extension_bytes_ = 0;
  size_t trailer_bytes_ = 0;
  size_t trailer_count_ = 0;
  std::string line_; // of the trailer being read
  std::vector<owned_field> trailers_;
};

/// May a trailer of this name (any case) be passed on?
bool is_allowed_trailer(std::string_view name) noexcept;

} // namespace caf_app::http
