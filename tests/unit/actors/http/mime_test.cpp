#define CAF_SUITE mime
#include "actors/http/mime.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

CAF_TEST(what follows the last dot decides in any case) {
  CAF_CHECK_EQUAL(mime_type("index.html"), "text/html; charset=utf-8");
  CAF_CHECK_EQUAL(mime_type("a/b.c/INDEX.HTML"), "text/html; charset=utf-8");
  CAF_CHECK_EQUAL(mime_type("x.tar.gz"), "application/gzip");
  CAF_CHECK_EQUAL(mime_type("x.wasm"), "application/wasm");
  CAF_CHECK_EQUAL(mime_type("x.svg"), "image/svg+xml");
  CAF_CHECK_EQUAL(mime_type("x.js"), "text/javascript; charset=utf-8");
}

CAF_TEST(what is not known is a stream of bytes) {
  for (const auto name : {"", "README", "a.b/c", "x.", "x.unknown", ".", "x.htmlx"})
    CAF_CHECK_EQUAL(mime_type(name), "application/octet-stream");
}

CAF_TEST(a route may override and add types) {
  const mime_overrides overrides{{"html", "text/x-own"}, {"abc", "application/abc"}};
  CAF_CHECK_EQUAL(mime_type("x.HTML", overrides), "text/x-own");
  CAF_CHECK_EQUAL(mime_type("x.abc", overrides), "application/abc");
  CAF_CHECK_EQUAL(mime_type("x.css", overrides), "text/css; charset=utf-8");
}
