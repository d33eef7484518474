// Why a request is refused, and what that means for its connection: the one table behind every
// status code of bad input, every `caf_http_rejected_total{reason}` label and every decision to
// keep or close. Codecs and policies return a `fault`; only rejection_of() knows status and
// disposition. Sources: RFC 9110 §15, RFC 9112 §2.2, §3, §5, §6, §7.
#pragma once

#include <cstdint>
#include <string_view>

namespace caf_app::http {

/// What happens to the connection after a refusal.
enum class disposition : uint8_t {
  keep,  ///< response, then the next request is parsed (after the body of this one was read away)
  close, ///< response with `Connection: close`, linger, no further byte is parsed
  cut,   ///< no response
};

/// One enumerator per row of the table; `none` says that nothing is wrong.
enum class fault : uint8_t {
  none,
  request_line,      ///< malformed request line, bare LF or CR, no version, second empty line
  version,           ///< major version other than 1, or the preface of HTTP/2
  method_unknown,    ///< not a method of ours, or longer than 32 bytes
  method_refused,    ///< known, but not routed here (TRACE: never)
  method_connect,    ///< CONNECT: never routed, and what follows it is no HTTP
  target_size,       ///< target over its limit
  target,            ///< bad byte, bad percent escape, fragment, userinfo, wrong form
  path,              ///< climbs above the root, or `%00`, `%2F`, `%5C`, backslash
  host,              ///< missing in 1.1, repeated, invalid, empty
  misdirected,       ///< unknown host; scheme or client certificate of another site
  not_found,         ///< no route; not counted as rejected
  field,             ///< bad or empty name, space before the colon, folding, control byte
  head_size,         ///< head or trailers over bytes or number of fields
  content_length,    ///< not digits, list, repeated, overflow
  transfer_encoding, ///< with Content-Length, repeated, not ending in one `chunked`, in HTTP/1.0
  transfer_coding,   ///< well-formed codings before `chunked` that we do not implement
  chunk,             ///< chunk size, ending, extension or trailer
  body_size,         ///< content over its limit
  expect,            ///< an expectation other than 100-continue, no body announced
  expect_with_body,  ///< the same, and a body that may or may not follow
  idle,              ///< first byte late, or keep-alive idle
  slow_request,      ///< head or body late, or body below the minimum rate
  slow_reader,       ///< the client does not read its response
  short_request,     ///< FIN inside a request
  per_ip,            ///< too many connections of one address
  rate,              ///< over the rate limit of the route
  shed,              ///< overload, queue full, target draining
  tls_mismatch,      ///< TLS on a cleartext port or the reverse
  tls_handshake,     ///< handshake late, or nothing in common
  h2_malformed,      ///< malformed HTTP/2 request: resets its stream
  h2_protocol,       ///< HTTP/2 framing or HPACK error, too many CONTINUATION frames
  h2_settings,       ///< acknowledgement of SETTINGS late
  h2_abuse,          ///< a budget is spent
};

/// Number of enumerators of `fault`.
constexpr size_t fault_count = static_cast<size_t>(fault::h2_abuse) + 1;

/// One row of the table.
struct rejection {
  uint16_t status; ///< 0 if HTTP gives no response (cut, or HTTP/2 and TLS codes of their own)
  disposition connection;  ///< on HTTP/2 `close` means: answer on the stream, keep the connection
  std::string_view reason; ///< label of the counter; empty if it is not counted
};

/// @returns the row of `why`; that of `none` is {200, keep, ""}
const rejection& rejection_of(fault why) noexcept;

} // namespace caf_app::http
