// Rows about what holds a connection open, Expect and Upgrade: RFC 9112 §9.3, RFC 9110 §7.8,
// §10.1.1.
#pragma once

#include "support/http/h1_row.hpp"
#include "unit/actors/http/h1_rows/target.hpp"

namespace caf_app::http {

inline h1_rows keep_alive_rows() {
  return {
      {"close", get("Connection: close"), "200 close GET a /"},
      {"close in any case", get("connection: CLOSE"), "200 close GET a /"},
      {"close in a list", get("Connection: x, close ,y"), "200 close GET a /"},
      {"close in a second line", get("Connection: x", "Connection: close"), "200 close GET a /"},
      {"close before keep-alive", get("Connection: keep-alive, close"), "200 close GET a /"},
      {"keep-alive", get("Connection: keep-alive"), "200 keep GET a /"},
      {"another option", get("Connection: closed, x-close"), "200 keep GET a /"},
      {"an empty Connection", get("Connection:"), "200 keep GET a /"},
      {"Proxy-Connection means nothing", get("Proxy-Connection: close"), "200 keep GET a /"},
      {"1.0", head("GET / HTTP/1.0", "Host: a"), "200 close GET a /"},
      {"1.0 with keep-alive", head("GET / HTTP/1.0", "Host: a", "Connection: Keep-Alive"),
       "200 keep GET a /"},
      {"1.0 with both", head("GET / HTTP/1.0", "Host: a", "Connection: keep-alive, close"),
       "200 close GET a /"},
      {"1.0 with another option", head("GET / HTTP/1.0", "Host: a", "Connection: x"),
       "200 close GET a /"},
      {"three pipelined requests", get() + post("Content-Length: 2") + "hi" + get("X: y"),
       "200 keep GET a / | 200 keep POST a /post [hi] | 200 keep GET a /"},
      {"an empty line between requests", get() + "\r\n" + get(),
       "200 keep GET a / | 200 keep GET a /"},
      {"an empty line before each request", "\r\n" + get() + "\r\n" + get(),
       "200 keep GET a / | 200 keep GET a /"},
      {"nothing is read after close", get("Connection: close") + get(), "200 close GET a /"},
      {"a refusal that keeps, then a request", fetch("/..") + get(),
       "400 keep path | 200 keep GET a /"},
      {"a refusal that closes, then a request", fetch("/#") + get(), "400 close target"},
  };
}

inline h1_rows expect_rows() {
  return {
      {"100-continue with a body", post("Expect: 100-continue", "Content-Length: 2") + "hi",
       "200 keep POST a /post expects [hi]"},
      {"100-continue in any case", post("Expect: 100-Continue", "Content-Length: 2") + "hi",
       "200 keep POST a /post expects [hi]"},
      {"100-continue with chunks",
       post("Expect: 100-continue", "Transfer-Encoding: chunked") + "0\r\n\r\n",
       "200 keep POST a /post expects"},
      {"100-continue without a body", get("Expect: 100-continue"), "200 keep GET a /"},
      {"100-continue with an empty body", post("Expect: 100-continue", "Content-Length: 0"),
       "200 keep POST a /post"},
      {"100-continue of 1.0 is nothing",
       head("POST /post HTTP/1.0", "Host: a", "Expect: 100-continue", "Content-Length: 2") + "hi",
       "200 close POST a /post [hi]"},
      {"a body over the limit goes first", post("Expect: 100-continue", "Content-Length: 65"),
       "413 close body_size"},
      {"another expectation", get("Expect: tea"), "417 keep expect"},
      {"an empty expectation", get("Expect:"), "417 keep expect"},
      {"another expectation with a body", post("Expect: tea", "Content-Length: 2") + "hi",
       "417 close expect"},
      {"another expectation with an empty body", post("Expect: tea", "Content-Length: 0"),
       "417 keep expect"},
      {"two expectations", get("Expect: 100-continue, tea"), "417 keep expect"},
      {"two lines of expectations",
       post("Expect: 100-continue", "Expect: tea", "Content-Length: 2"), "417 close expect"},
      {"404 goes before 417", head("GET /none HTTP/1.1", "Host: x.w.example", "Expect: tea"),
       "404 keep "},
  };
}

inline h1_rows upgrade_rows() {
  return {
      {"WebSocket is ignored",
       get("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
       "200 keep GET a /"},
      {"h2c is ignored",
       get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
       "200 keep GET a /"},
  };
}

} // namespace caf_app::http
