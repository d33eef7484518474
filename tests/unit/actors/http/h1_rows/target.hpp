// Rows about request targets and paths: RFC 9112 §3.2, RFC 3986 §2.1, §5.2.4, §6.2.2.
#pragma once

#include "support/http/h1_row.hpp"

namespace caf_app::http {

/// A request for `target`.
inline std::string fetch(const std::string& target) {
  return head("GET " + target + " HTTP/1.1", "Host: a");
}

inline h1_rows target_rows() {
  return {
      {"a query", fetch("/p?x=1&y=%20?/"), "200 keep GET a /p?x=1&y=%20?/"},
      {"an empty query", fetch("/p?"), "200 keep GET a /p?"},
      {"bytes that browsers send raw", fetch("/p|[]^?q={\"a\"|<b>`^}"),
       "200 keep GET a /p|[]^?q={\"a\"|<b>`^}"},
      {"a fragment", fetch("/p#top"), "400 close target"},
      {"a fragment after the query", fetch("/p?x#top"), "400 close target"},
      {"a control byte", fetch(bytes("/p\x01")), "400 close target"},
      {"NUL", fetch(bytes("/p\0q")), "400 close target"},
      {"DEL", fetch("/p\x7f"), "400 close target"},
      {"a tab", fetch("/p\tq"), "400 close target"},
      {"bare CR", fetch("/p\rq"), "400 close request_line"},
      {"raw UTF-8", fetch("/\xc3\xa4"), "400 close target"},
      {"a high byte in the query", fetch("/p?\xff"), "400 close target"},
      {"an escape without digits", fetch("/%"), "400 close target"},
      {"an escape with one digit", fetch("/%4"), "400 close target"},
      {"an escape with other digits", fetch("/%zz"), "400 close target"},
      {"an escape cut by the query", fetch("/%4?1"), "400 close target"},
      {"a bad escape in the query", fetch("/p?a=%zz"), "400 close target"},
      {"no slash before the path", fetch("p"), "400 close target"},
      {"a query alone", fetch("?x"), "400 close target"},
      {"asterisk with GET", fetch("*"), "400 close target"},
      {"asterisk with OPTIONS", head("OPTIONS * HTTP/1.1", "Host: a"), "204 keep OPTIONS a *"},
      {"asterisk and more", head("OPTIONS *x HTTP/1.1", "Host: a"), "400 close target"},
      {"authority with GET", fetch("a:80"), "400 close target"},
      {"CONNECT with a path", head("CONNECT / HTTP/1.1", "Host: a"), "400 close target"},
      {"CONNECT without a port", head("CONNECT a HTTP/1.1", "Host: a"), "400 close target"},
      {"CONNECT with userinfo", head("CONNECT u@a:1 HTTP/1.1", "Host: a"), "400 close target"},
      {"a target of the limit", fetch("/" + repeat("x", 8191)),
       "200 keep GET a /" + repeat("x", 8191)},
      {"a target over the limit", fetch("/" + repeat("x", 8192)), "414 close target_size"},
      {"a target without end", "GET /" + repeat("x", 8192), "414 close target_size"},
  };
}

inline h1_rows absolute_target_rows() {
  return {
      {"absolute-form", fetch("http://a/p?q"), "200 keep GET a /p?q"},
      {"its authority replaces Host", head("GET http://a/p HTTP/1.1", "Host: b"),
       "200 keep GET a /p"},
      {"its authority routes", head("GET http://b/p HTTP/1.1", "Host: a"), "421 keep misdirected"},
      {"Host is needed still", head("GET http://a/p HTTP/1.1"), "400 close host"},
      {"Host must be valid still", head("GET http://a/p HTTP/1.1", "Host: a b"), "400 close host"},
      {"scheme and host in upper case", fetch("HTTP://A/P"), "200 keep GET a /P"},
      {"with a port", fetch("http://a:8080/"), "200 keep GET a /"},
      {"without a path", fetch("http://a"), "200 keep GET a /"},
      {"a query without a path", fetch("http://a?q"), "200 keep GET a /?q"},
      {"OPTIONS without a path", head("OPTIONS http://a HTTP/1.1", "Host: a"),
       "204 keep OPTIONS a *"},
      {"the scheme of another listener", fetch("https://a/"), "421 keep misdirected"},
      {"another scheme", fetch("ftp://a/"), "400 close target"},
      {"no authority", fetch("http:///p"), "400 close target"},
      {"an authority of a port alone", fetch("http://:80/p"), "400 close target"},
      {"one slash", fetch("http:/a/p"), "400 close target"},
      {"userinfo", fetch("http://u@a/p"), "400 close target"},
      {"userinfo with a password", fetch("http://u:p@a/p"), "400 close target"},
      {"an authority that is no host", fetch("http://a%41/p"), "400 close target"},
      {"a port over 65535", fetch("http://a:65536/p"), "400 close target"},
  };
}

inline h1_rows path_rows() {
  return {
      {"dot segments go", fetch("/x/./y/../z"), "200 keep GET a /x/z"},
      {"dots at the end", fetch("/x/y/.."), "200 keep GET a /x/"},
      {"one dot at the end", fetch("/x/."), "200 keep GET a /x/"},
      {"encoded dots are dots", fetch("/x/%2e%2E/z"), "200 keep GET a /z"},
      {"dots that are names", fetch("/.a/..b/.../c."), "200 keep GET a /.a/..b/.../c."},
      {"unreserved escapes are decoded", fetch("/%41%7e%2D%5f%30"), "200 keep GET a /A~-_0"},
      {"other escapes are upper-cased", fetch("/%3a%c3%a4%25"), "200 keep GET a /%3A%C3%A4%25"},
      {"no escape is decoded twice", fetch("/%252e%252e/"), "200 keep GET a /%252e%252e/"},
      {"the query stays raw", fetch("/%41?%41/../x"), "200 keep GET a /A?%41/../x"},
      {"climbing above the root", fetch("/.."), "400 keep path"},
      {"climbing later", fetch("/x/../../y"), "400 keep path"},
      {"climbing with escapes", fetch("/%2e%2e/y"), "400 keep path"},
      {"an encoded NUL", fetch("/x%00"), "400 keep path"},
      {"a backslash", fetch("/x\\y"), "400 keep path"},
      {"an encoded backslash", fetch("/x%5cy"), "400 keep path"},
      {"an encoded slash", fetch("/x%2fy"), "400 keep path"},
      {"an encoded slash where it is kept", fetch("/slash/x%2fy"), "200 keep GET a /slash/x%2Fy"},
      {"a kept slash separates nothing", fetch("/slash/..%2f.."), "200 keep GET a /slash/..%2F.."},
      {"an encoded slash without a site", head("GET /x%2fy HTTP/1.1", "Host: b"), "400 keep path"},
      {"double slashes stay", fetch("//x//y/"), "200 keep GET a //x//y/"},
      {"double slashes merge", fetch("/merge//x///y//"), "200 keep GET a /merge/x/y/"},
      {"dots before merging", fetch("/merge/x//../y"), "200 keep GET a /merge/x/y"},
      {"a bad path with a body",
       head("POST /x/%00 HTTP/1.1", "Host: a", "Content-Length: 2") + "\r\n", "400 keep path"},
      {"no route", head("GET /none HTTP/1.1", "Host: x.w.example"), "404 keep "},
      {"a prefix ends at a border", head("GET /wildcards HTTP/1.1", "Host: x.w.example"),
       "404 keep "},
      {"a prefix and more", head("GET /wildcard/s HTTP/1.1", "Host: x.w.example"),
       "200 keep GET x.w.example /wildcard/s"},
  };
}

} // namespace caf_app::http
