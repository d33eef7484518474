// Rows about chunked content: RFC 9112 §7.1.
#pragma once

#include "support/http/h1_row.hpp"

namespace caf_app::http {

/// A request with this chunked content.
inline std::string chunks(const std::string& content) {
  return post("Transfer-Encoding: chunked") + content;
}

inline h1_rows chunk_rows() {
  return {
      {"several chunks", chunks("2\r\nhi\r\n3\r\n yo\r\n0\r\n\r\n"),
       "200 keep POST a /post [hi yo]"},
      {"no content", chunks("0\r\n\r\n"), "200 keep POST a /post"},
      {"upper and lower case", chunks("A\r\n0123456789\r\na\r\nabcdefghij\r\n0\r\n\r\n"),
       "200 keep POST a /post [0123456789abcdefghij]"},
      {"16 digits", chunks("0000000000000002\r\nhi\r\n0000000000000000\r\n\r\n"),
       "200 keep POST a /post [hi]"},
      {"17 digits", chunks("00000000000000002\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"17 digits of zero", chunks("00000000000000000\r\n\r\n"), "400 close chunk"},
      {"2^63-1", chunks("7fffffffffffffff\r\n"), "413 close body_size"},
      {"2^63", chunks("8000000000000000\r\n"), "400 close chunk"},
      {"2^64-1", chunks("ffffffffffffffff\r\n"), "400 close chunk"},
      {"content of the limit", chunks("40\r\n" + repeat("x", 64) + "\r\n0\r\n\r\n"),
       "200 keep POST a /post [" + repeat("x", 64) + "]"},
      {"content over the limit", chunks("41\r\n" + repeat("x", 65) + "\r\n0\r\n\r\n"),
       "413 close body_size"},
      {"content over the limit in parts",
       chunks("40\r\n" + repeat("x", 64) + "\r\n1\r\ny\r\n0\r\n\r\n"), "413 close body_size"},
      {"no size", chunks("\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"a size that is no number", chunks("g\r\n"), "400 close chunk"},
      {"a negative size", chunks("-1\r\n"), "400 close chunk"},
      {"a sign", chunks("+2\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"a prefix", chunks("0x2\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"a blank before the size", chunks(" 2\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"a blank after the size", chunks("2 \r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"bare LF after the size", chunks("2\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"bare CR after the size", chunks("2\rhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"bare LF after the data", chunks("2\r\nhi\n0\r\n\r\n"), "400 close chunk"},
      {"data longer than its size", chunks("2\r\nhi!\r\n0\r\n\r\n"), "400 close chunk"},
      {"data shorter than its size", chunks("3\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"bare LF after the last chunk", chunks("0\n\n"), "400 close chunk"},
  };
}

inline h1_rows chunk_extension_rows() {
  return {
      {"a name", chunks("2;x\r\nhi\r\n0\r\n\r\n"), "200 keep POST a /post [hi]"},
      {"name and value", chunks("2;x=y\r\nhi\r\n0;z=1\r\n\r\n"), "200 keep POST a /post [hi]"},
      {"a quoted value", chunks("2;x=\"a\\\";b\"\r\nhi\r\n0\r\n\r\n"),
       "200 keep POST a /post [hi]"},
      {"several", chunks("2;x;y=z;s=\"\"\r\nhi\r\n0\r\n\r\n"), "200 keep POST a /post [hi]"},
      {"blanks after ';' and around '='", chunks("2; x = y\r\nhi\r\n0\r\n\r\n"),
       "200 keep POST a /post [hi]"},
      {"blanks before ';'", chunks("2 ;x\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"blanks before a second ';'", chunks("2;x ;y\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"blanks at the end", chunks("2;x \r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"no name", chunks("2;\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"no name before '='", chunks("2;=y\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"no value", chunks("2;x=\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"bare LF", chunks("2;x\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"bare LF within quotes", chunks("2;x=\"\n\"\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"a quote that is not closed", chunks("2;x=\"y\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"text after a quote", chunks("2;x=\"y\"z\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"NUL", chunks(bytes("2;x\0\r\nhi\r\n0\r\n\r\n")), "400 close chunk"},
      {"4 KiB", chunks("2;" + repeat("x", 4095) + "\r\nhi\r\n0\r\n\r\n"),
       "200 keep POST a /post [hi]"},
      {"over 4 KiB", chunks("2;" + repeat("x", 4096) + "\r\nhi\r\n0\r\n\r\n"), "400 close chunk"},
      {"over 4 KiB in parts",
       chunks(repeat("1;" + repeat("x", 100) + "\r\na\r\n", 41) + "0\r\n\r\n"), "400 close chunk"},
  };
}

inline h1_rows trailer_rows() {
  return {
      {"a trailer", chunks("2\r\nhi\r\n0\r\nX-Sum:  1 \r\n\r\n"),
       "200 keep POST a /post [hi] x-sum=1"},
      {"framing trailers are dropped",
       chunks("0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n"),
       "200 keep POST a /post"},
      {"routing trailers are dropped",
       chunks("0\r\nHost: b\r\nX-Forwarded-For: 1.2.3.4\r\nVia: 1.1 b\r\n\r\n"),
       "200 keep POST a /post"},
      {"authentication trailers are dropped",
       chunks("0\r\nAuthorization: Basic eA==\r\nCookie: a=b\r\nY: z\r\n\r\n"),
       "200 keep POST a /post y=z"},
      {"content trailers are dropped",
       chunks("0\r\nContent-Type: text/html\r\nCONTENT-RANGE: x\r\n\r\n"), "200 keep POST a /post"},
      {"a blank before the colon", chunks("0\r\nX : y\r\n\r\n"), "400 close chunk"},
      {"no colon", chunks("0\r\nX\r\n\r\n"), "400 close chunk"},
      {"no name", chunks("0\r\n: y\r\n\r\n"), "400 close chunk"},
      {"folding", chunks("0\r\nX: y\r\n z\r\n\r\n"), "400 close chunk"},
      {"bare LF", chunks("0\r\nX: y\n\r\n"), "400 close chunk"},
      {"bare CR", chunks("0\r\nX: y\rz\r\n\r\n"), "400 close chunk"},
      {"NUL", chunks(bytes("0\r\nX: y\0\r\n\r\n")), "400 close chunk"},
      {"100 trailers", chunks("0\r\n" + repeat("Host: x\r\n", 100) + "\r\n"),
       "200 keep POST a /post"},
      {"101 trailers", chunks("0\r\n" + repeat("Host: x\r\n", 101) + "\r\n"),
       "431 close head_size"},
      {"32 KiB of trailers", chunks("0\r\nHost:" + repeat("y", 32 * 1024 - 9) + "\r\n\r\n"),
       "200 keep POST a /post"},
      {"over 32 KiB of trailers", chunks("0\r\nHost:" + repeat("y", 32 * 1024 - 8) + "\r\n\r\n"),
       "431 close head_size"},
  };
}

} // namespace caf_app::http
