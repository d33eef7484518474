// Serialises HTTP/1 responses into the caller's output buffer: heads, chunks, the short bodies of
// refusals, and heads that are prepared once and only get the date on each use. RFC 9112 §4, §6,
// §7.1. The version is always HTTP/1.1 (RFC 9110 §2.5); Date and clock are the caller's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "actors/http/field.hpp"
#include "actors/http/method.hpp"
#include "actors/http/rejection.hpp"

namespace caf_app::http {

/// What the Connection field has to say. RFC 9112 §9.3
enum class h1_connection : uint8_t {
  implicit,   ///< nothing: an HTTP/1.1 connection that goes on
  keep_alive, ///< "keep-alive": an HTTP/1.0 connection that goes on
  close,      ///< "close"
};

/// @param minor_version that of the request
/// @param goes_on another request may follow on this connection
constexpr h1_connection connection_field(uint8_t minor_version, bool goes_on) noexcept {
  if (!goes_on)
    return h1_connection::close;
  return minor_version == 0 ? h1_connection::keep_alive : h1_connection::implicit;
}

/// How the receiver finds the end of the content.
enum class h1_content : uint8_t {
  none,    ///< no field at all: 1xx, 204, 304, or content that ends with the connection
  length,  ///< Content-Length
  chunked, ///< Transfer-Encoding: chunked, for HTTP/1.1 clients only
};

/// A response head. Views must stay valid for the call only.
struct h1_response_head {
  uint16_t status = 200;
  h1_content content = h1_content::length;
  h1_connection connection = h1_connection::implicit;
  uint64_t content_length = 0;
  std::string_view date;         ///< 29 characters of http_date.hpp; empty omits the field
  std::string_view server;       ///< empty omits the field
  std::string_view content_type; ///< empty omits the field
  std::span<const field> fields; ///< further fields, `id` is not read
};

/// Appends a head, with one growth of `out` at most.
/// @returns false, and appends nothing, if a name is no token or a value has CR, LF, NUL or another
/// control byte
bool append_head(std::string& out, const h1_response_head& head);

/// The head of an interim response, for example 100 or 103 with fields. RFC 9110 §15.2
bool append_interim(std::string& out, uint16_t status, std::span<const field> fields = {});

/// Size line of a chunk of `size` bytes (above 0), for gathered writes: "1f4\r\n".
class chunk_head {
public:
  explicit chunk_head(size_t size) noexcept;
  std::string_view view() const noexcept { return {bytes_.data(), length_}; }

private:
  std::array<char, 18> bytes_;
  size_t length_ = 0;
};

/// What follows the bytes of each chunk.
constexpr std::string_view chunk_end = "\r\n";

/// Appends `data` as one chunk; nothing if it is empty, because that would end the content.
void append_chunk(std::string& out, std::string_view data);

/// Appends the last chunk, with trailers. @returns false, and appends nothing, on an invalid
/// trailer
bool append_last_chunk(std::string& out, std::span<const field> trailers = {});

/// The text of a refusal: "400 Bad Request\n".
std::string refusal_body(uint16_t status);

/// What append_refusal() needs beside the status.
struct h1_refusal {
  uint16_t status = 400;
  h1_connection connection = h1_connection::close;
  http::method method = method::get; ///< HEAD gets the same head and no body
  std::string_view date;
  std::string_view server;
  std::span<const field> fields; ///< for example Allow or Retry-After
};

/// Appends a whole response with a short text/plain body. Its fields must be valid.
void append_refusal(std::string& out, const h1_refusal& refusal);

/// A response that is the same but for its date: written once, then copied. For fixed answers.
class h1_prepared_response {
public:
  /// @param head as for append_head(); its date is ignored, its length is that of `body`
  /// @returns nothing if append_head() would refuse it
  static std::optional<h1_prepared_response> make(h1_response_head head, std::string_view body);

  /// Appends head and body. @param date 29 characters of http_date.hpp
  void append_to(std::string& out, std::string_view date) const;

  /// Appends the head only, as for HEAD.
  void append_head_to(std::string& out, std::string_view date) const;

private:
  h1_prepared_response() = default;

  void append_bytes(std::string& out, std::string_view date, size_t length) const;

  std::string bytes_; // whole, with 29 bytes left for the date
  size_t date_offset_ = 0;
  size_t head_length_ = 0;
};

} // namespace caf_app::http
