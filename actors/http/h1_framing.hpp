// What the fields of an HTTP/1 request say about its content and its connection. Stricter than the
// norm where leniency is how requests get smuggled: a repeated or listed Content-Length is refused
// even if equal, Transfer-Encoding is one field with one `chunked`. RFC 9112 §6, §9.3, RFC 9110
// §10.1.1.
#pragma once

#include <cstdint>

#include "actors/http/field_list.hpp"
#include "actors/http/rejection.hpp"

namespace caf_app::http {

/// How the end of a request's content is found.
enum class h1_framing : uint8_t { none, length, chunked };

/// What an Expect field says.
enum class h1_expect : uint8_t {
  nothing,
  continue_, ///< 100-continue, of a 1.1 client, with content to come
  other,     ///< something that we cannot meet: fault::expect or fault::expect_with_body
};

/// A framing, or why there is none.
struct h1_framing_result {
  fault error = fault::none; ///< content_length, transfer_encoding or transfer_coding
  h1_framing framing = h1_framing::none;
  uint64_t length = 0; ///< with h1_framing::length
};

/// @param minor_version 0 or 1
h1_framing_result find_framing(const field_list& fields, uint8_t minor_version) noexcept;

/// May another request follow? 1.1: unless `close`; 1.0: only with `keep-alive`, and not `close`.
bool wants_keep_alive(const field_list& fields, uint8_t minor_version) noexcept;

/// A 100-continue of an HTTP/1.0 client, or without content to wait for, is nothing.
h1_expect find_expectation(const field_list& fields, uint8_t minor_version,
                           const h1_framing_result& framing) noexcept;

} // namespace caf_app::http
