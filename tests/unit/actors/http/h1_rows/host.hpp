// Rows about Host: RFC 9112 §3.2, RFC 9110 §7.2, RFC 3986 §3.2.2.
#pragma once

#include "support/http/h1_row.hpp"

namespace caf_app::http {

/// A request with this line instead of Host.
inline std::string with_host(const std::string& line) { return head("GET / HTTP/1.1", line); }

inline h1_rows host_rows() {
  return {
      {"Host missing", head("GET / HTTP/1.1"), "400 close host"},
      {"Host twice", get("Host: a"), "400 close host"},
      {"Host twice, another", get("host: b"), "400 close host"},
      {"Host empty", with_host("Host:"), "400 close host"},
      {"Host blank", with_host("Host:  \t"), "400 close host"},
      {"Host as a list", with_host("Host: a, b"), "400 close host"},
      {"in upper case", with_host("HOST: A"), "200 keep GET a /"},
      {"with a trailing dot", with_host("Host: a."), "200 keep GET a /"},
      {"with two trailing dots", with_host("Host: a.."), "400 close host"},
      {"a dot alone", with_host("Host: ."), "400 close host"},
      {"a leading dot", with_host("Host: .a"), "400 close host"},
      {"an empty label", with_host("Host: a..w.example"), "400 close host"},
      {"the port does not route", with_host("Host: a:81"), "200 keep GET a /"},
      {"an empty port", with_host("Host: a:"), "200 keep GET a /"},
      {"dot and port", with_host("Host: a.:80"), "200 keep GET a /"},
      {"port 65535", with_host("Host: a:65535"), "200 keep GET a /"},
      {"port 65536", with_host("Host: a:65536"), "400 close host"},
      {"a port that is no number", with_host("Host: a:8o"), "400 close host"},
      {"two ports", with_host("Host: a:80:80"), "400 close host"},
      {"a port alone", with_host("Host: :80"), "400 close host"},
      {"userinfo", with_host("Host: u@a"), "400 close host"},
      {"percent", with_host("Host: %61"), "400 close host"},
      {"a scheme", with_host("Host: http://a"), "400 close host"},
      {"a path", with_host("Host: a/"), "400 close host"},
      {"a high byte", with_host("Host: \xc3\xa4"), "400 close host"},
      {"underscore", with_host("Host: my_app.w.example"), "404 keep "},
      {"one label of a wildcard", with_host("Host: x.w.example"), "404 keep "},
      {"two labels of a wildcard", with_host("Host: x.y.W.Example:80"), "404 keep "},
      {"a wildcard needs a label", with_host("Host: w.example"), "421 keep misdirected"},
      {"an unknown host", with_host("Host: b"), "421 keep misdirected"},
      {"an unknown host with a body",
       head("POST /post HTTP/1.1", "Host: b", "Content-Length: 5") + "GET /",
       "421 keep misdirected"},
      {"a name of 255 bytes", with_host("Host: " + repeat("b", 255)), "421 keep misdirected"},
      {"a name of 256 bytes", with_host("Host: " + repeat("b", 256)), "400 close host"},
      {"IPv4", with_host("Host: 127.0.0.1:80"), "421 keep misdirected"},
      {"IPv6", with_host("Host: [::1]:80"), "200 keep GET [::1] /"},
      {"IPv6 in upper case", with_host("Host: [FE80::A]"), "200 keep GET [fe80::a] /"},
      {"IPv6 that ends in IPv4", with_host("Host: [::ffff:1.2.3.4]"), "421 keep misdirected"},
      {"IPv6 without brackets", with_host("Host: ::1"), "400 close host"},
      {"IPv6 that is not closed", with_host("Host: [::1"), "400 close host"},
      {"IPv6 with a zone", with_host("Host: [fe80::1%25eth0]"), "400 close host"},
      {"IPv6 of nine groups", with_host("Host: [1:2:3:4:5:6:7:8:9]"), "400 close host"},
      {"IPv6 and more", with_host("Host: [::1]x"), "400 close host"},
      {"IPvFuture", with_host("Host: [v1.a]"), "400 close host"},
      {"1.0 without Host has no site", head("GET / HTTP/1.0"), "421 close misdirected"},
      {"1.0 with Host", head("GET / HTTP/1.0", "Host: a"), "200 close GET a /"},
      {"1.0 with Host twice", head("GET / HTTP/1.0", "Host: a", "Host: a"), "400 close host"},
  };
}

} // namespace caf_app::http
