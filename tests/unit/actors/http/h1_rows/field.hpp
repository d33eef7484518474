// Rows about field lines and the size of a head: RFC 9112 §5, RFC 9110 §5, RFC 6585 §5.
#pragma once

#include "support/http/h1_row.hpp"

namespace caf_app::http {

inline h1_rows field_rows() {
  return {
      {"a value without blanks before it", get("X:y"), "200 keep GET a /"},
      {"blanks around a value", get("X: \t y \t "), "200 keep GET a /"},
      {"blanks around Host", head("GET / HTTP/1.1", "Host:\t a \t"), "200 keep GET a /"},
      {"a tab within a value", get("X: y\tz"), "200 keep GET a /"},
      {"an empty value", get("X:"), "200 keep GET a /"},
      {"high bytes in a value", get("X: \xc3\xa4\xff\x80"), "200 keep GET a /"},
      {"a long value", get("X: " + repeat("0123456789abcdef", 100)), "200 keep GET a /"},
      {"every tchar in a name", get("!#$%&'*+-.^_`|~0aZ: y"), "200 keep GET a /"},
      {"a colon in a value", get("X: y:z"), "200 keep GET a /"},
      {"a blank before the colon", get("X : y"), "400 close field"},
      {"a tab before the colon", get("X\t: y"), "400 close field"},
      {"folding with SP", get("X: y", " z"), "400 close field"},
      {"folding with HTAB", get("X: y", "\tz"), "400 close field"},
      {"a blank first line", head("GET / HTTP/1.1", " Host: a"), "400 close field"},
      {"an empty name", get(": y"), "400 close field"},
      {"a line without a colon", get("X"), "400 close request_line"},
      {"a blank in a name", get("X Y: z"), "400 close field"},
      {"a delimiter in a name", get("X(Y): z"), "400 close field"},
      {"a high byte in a name", get("X\xc3: z"), "400 close field"},
      {"NUL in a name", get(bytes("X\0Y: z")), "400 close field"},
      {"NUL in a value", get(bytes("X: y\0z")), "400 close field"},
      {"NUL alone as a value", get(bytes("X: \0")), "400 close field"},
      {"a control byte in a value", get("X: y\x01z"), "400 close field"},
      {"DEL in a value", get("X: y\x7fz"), "400 close field"},
      {"a control byte late in a long value", get("X: " + repeat("y", 37) + "\x1fz"),
       "400 close field"},
      {"vertical tab before a value", get("X:\vy"), "400 close field"},
      {"CR CR LF at the end of a value", get("X: y\r"), "400 close request_line"},
  };
}

inline h1_rows head_size_rows() {
  const auto open = get().substr(0, 25); // request line and Host, no empty line
  // 27 bytes of request line, Host and empty line, 4 of the field but for its value.
  const auto fill = [](size_t total) { return get("X:" + repeat("y", total - 31)); };
  return {
      {"100 fields", open + repeat("X: y\r\n", 99) + "\r\n", "200 keep GET a /"},
      {"101 fields", open + repeat("X: y\r\n", 100) + "\r\n", "431 close head_size"},
      {"101 fields, the last one bad", open + repeat("X: y\r\n", 99) + " fold\r\n",
       "431 close head_size"},
      {"101 fields and no end", open + repeat("X: y\r\n", 99) + "X", "431 close head_size"},
      {"a head of the limit", fill(32 * 1024), "200 keep GET a /"},
      {"a head one byte over the limit", fill(32 * 1024 + 1), "431 close head_size"},
      {"a head far over the limit", fill(80 * 1024), "431 close head_size"},
      {"a value without end", open + "X: " + repeat("y", 33 * 1024), "431 close head_size"},
      {"a name without end", open + repeat("y", 33 * 1024), "431 close head_size"},
      {"blanks without end", open + "X:" + repeat(" ", 33 * 1024), "431 close head_size"},
      {"a method without end", repeat("y", 33 * 1024), "431 close head_size"},
  };
}

} // namespace caf_app::http
