#define CAF_SUITE cache_key
#include "actors/http/cache_key.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/cache_fixture.hpp"

using namespace caf_app::http;

namespace {

std::string key(std::string_view path, std::string_view query = {},
                std::string_view scheme = "http", std::optional<uint16_t> port = {}) {
  request_view view;
  view.path = path;
  view.query = query;
  const auto target = std::string{path} + (query.empty() ? "" : "?" + std::string{query});
  view.target = target;
  view.host = "a.org";
  view.scheme = scheme;
  view.port = port;
  std::string result;
  append_cache_key(result, view);
  return result;
}

std::string others(std::string_view base, std::string_view reference) {
  const auto keys = same_origin_keys(base, {reference});
  return keys.empty() ? "-" : keys.front();
}

bool purges(cache_purge::kind what, std::string_view text, std::string_view which) {
  const auto purge = parse_purge(what, text);
  CAF_REQUIRE(purge.has_value());
  return purge->means(which);
}

} // namespace

CAF_TEST(a key is target and host and scheme) {
  CAF_CHECK_EQUAL(key("/x", "a=b"), "/x?a=b\na.org\nhttp");
  CAF_CHECK_EQUAL(key("/x", "", "http", 80), "/x\na.org\nhttp");
  CAF_CHECK_EQUAL(key("/x", "", "https", 443), "/x\na.org\nhttps");
  CAF_CHECK_EQUAL(key("/x", "", "http", 8080), "/x\na.org:8080\nhttp");
  request_view empty_query;
  empty_query.path = "/x";
  empty_query.target = "/x?";
  empty_query.host = "a.org";
  std::string text;
  append_cache_key(text, empty_query);
  CAF_CHECK_EQUAL(text, "/x?\na.org\nhttp");
}

CAF_TEST(a key tells apart what proxies before us say) {
  const auto key_with = [](std::string_view lines) {
    const field_text text{lines};
    request_view view;
    view.target = view.path = "/x";
    view.host = "a.org";
    view.scheme = "http";
    view.fields = &text.list();
    std::string result;
    append_cache_key(result, view);
    return result;
  };
  const std::string plain = "/x\na.org\nhttp";
  CAF_CHECK_EQUAL(key_with("X-Forwarded-For: 192.0.2.1\nVia: x"), plain);
  CAF_CHECK_EQUAL(key_with("X-Forwarded-Proto: HTTPS"), plain + "\n||,https|");
  CAF_CHECK_EQUAL(key_with("X-Forwarded-Host: b.org"), plain + "\n|,b.org||");
  const auto by = key_with("Forwarded: for=192.0.2.1;proto=https;host=b.org");
  CAF_CHECK_EQUAL(by, plain + "\n;proto=https;host=b.org|||");
  CAF_CHECK_EQUAL(by,
                  key_with("Forwarded: for=\"[2001:db8::1]:80\"; Proto=https;host=b.org;by=_x"));
  CAF_CHECK(by != key_with("Forwarded: for=1;proto=https, for=2;host=b.org;proto=http"));
  CAF_CHECK(by != key_with("Forwarded: for=1;proto=https;host=c.org"));
  CAF_CHECK(by != key_with("Forwarded: for=\"x;proto=https;host=b.org\""));
  const auto other = same_origin_keys(by, {"/y"});
  CAF_REQUIRE_EQUAL(other.size(), 1u);
  const auto wanted = "/y" + by.substr(2);
  CAF_CHECK_EQUAL(other.front(), wanted);
  CAF_CHECK_EQUAL(parts_of_key(by).scheme, "http");
  CAF_CHECK(purges(cache_purge::kind::url, "//a.org/x", by));
}

CAF_TEST(references are those of the same origin) {
  const auto base = key("/dir/x", "q", "http", 8080);
  const std::string tail = "\na.org:8080\nhttp";
  CAF_CHECK_EQUAL(others(base, "/y?z"), "/y?z" + tail);
  CAF_CHECK_EQUAL(others(base, "y"), "/dir/y" + tail);
  CAF_CHECK_EQUAL(others(base, "../y#part"), "/y" + tail);
  CAF_CHECK_EQUAL(others(base, "?n"), "/dir/x?n" + tail);
  CAF_CHECK_EQUAL(others(base, ""), "/dir/x?q" + tail);
  CAF_CHECK_EQUAL(others(base, "http://A.org:8080/%7Ey"), "/~y" + tail);
  CAF_CHECK_EQUAL(others(base, "//a.org:8080/y"), "/y" + tail);
  CAF_CHECK_EQUAL(others(base, "http://a.org:8080"), "/" + tail);
  for (const auto* foreign : {"http://a.org/y", "https://a.org:8080/y", "//b.org/y",
                              "http://a.org.evil:8080/y", "/../../y", "/%zz"})
    CAF_CHECK_EQUAL(others(base, foreign), "-");
}

CAF_TEST(a usual port is no port) {
  CAF_CHECK_EQUAL(others(key("/x"), "http://a.org:80/y"), "/y\na.org\nhttp");
  CAF_CHECK_EQUAL(others(key("/x"), "http://a.org:/y"), "/y\na.org\nhttp");
}

CAF_TEST(a URL is purged on one host or on all) {
  using kind = cache_purge::kind;
  CAF_CHECK(purges(kind::url, "/x", key("/x")));
  CAF_CHECK(purges(kind::url, "http://a.org/x", key("/x")));
  CAF_CHECK(purges(kind::url, "https://A.ORG/x", key("/x"))); // the scheme does not matter
  CAF_CHECK(purges(kind::url, "//a.org/x?q", key("/x", "q")));
  CAF_CHECK(purges(kind::url, "http://a.org:8080/x", key("/x", "", "http", 8080)));
  CAF_CHECK(!purges(kind::url, "/x", key("/x", "q")));
  CAF_CHECK(!purges(kind::url, "/x", key("/xy")));
  CAF_CHECK(!purges(kind::url, "http://b.org/x", key("/x")));
  CAF_CHECK(!purges(kind::url, "http://a.org/x", key("/x", "", "http", 8080)));
}

CAF_TEST(a prefix is of paths) {
  using kind = cache_purge::kind;
  CAF_CHECK(purges(kind::prefix, "/x/", key("/x/y", "q")));
  CAF_CHECK(purges(kind::prefix, "/", key("/x")));
  CAF_CHECK(purges(kind::prefix, "http://a.org/x", key("/xy")));
  CAF_CHECK(!purges(kind::prefix, "/x/", key("/x")));
  CAF_CHECK(!purges(kind::prefix, "//b.org/", key("/x")));
}

CAF_TEST(what is no URL is no purge) {
  using kind = cache_purge::kind;
  for (const auto* text : {"", "x", "ftp://a/x", "http:///x", "http://a", "?q", "/../x"}) {
    const auto purge = parse_purge(kind::url, text);
    CAF_CHECK_EQUAL(purge.has_value(), std::string_view{text} == "http://a");
  }
  CAF_CHECK(!parse_purge(kind::tag, "").has_value());
  CAF_CHECK_EQUAL(parse_purge(kind::tag, "t")->target, "t");
}
