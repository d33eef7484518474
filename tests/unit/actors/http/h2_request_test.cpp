#define CAF_SUITE h2_request
#include "actors/http/h2_request.hpp"

#include <caf/test/unit_test.hpp>

#include "support/h2_frames.hpp"

using namespace caf_app::http;

namespace {

h2_section section_of(const h2::lines& lines, const h2_section_limits& limits = {}) {
  h2_section result{limits};
  for (const auto& [name, value] : lines)
    result.add(name, value);
  return result;
}

} // namespace

CAF_TEST(pseudo fields become the parts of the request) {
  h2_request request;
  auto lines = h2::request("POST", "/a?b=c", {{"content-length", "5"}, {"x", "y"}});
  lines[3].second = "Example.ORG:8443";
  CAF_REQUIRE(section_of(lines).finish(request));
  CAF_CHECK(request.error == fault::none);
  CAF_CHECK(request.method == method::post);
  CAF_CHECK_EQUAL(request.target, "/a?b=c");
  CAF_CHECK_EQUAL(request.parts.path, "/a");
  CAF_CHECK_EQUAL(request.parts.query, "b=c");
  CAF_CHECK_EQUAL(request.scheme, "https");
  CAF_CHECK_EQUAL(request.host, "example.org");
  CAF_CHECK_EQUAL(request.port.value_or(0), 8443);
  CAF_CHECK_EQUAL(request.content_length.value_or(0), 5u);
  CAF_CHECK_EQUAL(request.fields.size(), 2u);
  CAF_CHECK_EQUAL(request.fields.find("x")->value, "y");
}

CAF_TEST(cookie crumbs are one field again) {
  h2_request request;
  CAF_REQUIRE(
      section_of(h2::request("GET", "/",
                             {{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}, {"cookie", "c=3"}}))
          .finish(request));
  CAF_CHECK_EQUAL(request.fields.size(), 2u);
  CAF_CHECK_EQUAL(request.fields.first(known_field::cookie), "a=1; b=2; c=3");
  CAF_CHECK_EQUAL(request.fields.find("x")->value, "y");
}

CAF_TEST(the host is that of the authority or else of the field) {
  h2_request both;
  CAF_CHECK(section_of(h2::request("GET", "/", {{"host", "EXAMPLE.org"}})).finish(both));
  h2_request differ;
  CAF_CHECK(!section_of(h2::request("GET", "/", {{"host", "example.com"}})).finish(differ));
  h2_request only;
  CAF_CHECK(section_of({{":method", "GET"}, {":path", "/"}, {"host", "A.b."}}).finish(only));
  CAF_CHECK_EQUAL(only.host, "a.b");
}

CAF_TEST(a section at its limits passes and beyond them it does not ) {
  const h2_section_limits limits{200, 2, 10};
  const auto error = [&](const h2::lines& lines) {
    h2_request request;
    CAF_REQUIRE(section_of(lines, limits).finish(request));
    CAF_CHECK_EQUAL(request.method_text, "GET"); // whatever happened
    return request.error;
  };
  const h2::lines least{{":method", "GET"}, {":path", "/"}, {":authority", "a"}};
  const auto with = [&](const h2::lines& more) {
    auto result = least;
    result.insert(result.end(), more.begin(), more.end());
    return result;
  };
  CAF_CHECK(error(with({{"a", "b"}, {"c", "d"}})) == fault::none);
  CAF_CHECK(error(with({{"a", "b"}, {"c", "d"}, {"e", "f"}})) == fault::head_size);
  // 10 + 6 + 11 bytes and 3 * 32 of the least, 32 + 1 of the field
  CAF_CHECK(error(with({{"a", std::string(44, 'x')}})) == fault::none);
  CAF_CHECK(error(with({{"a", std::string(45, 'x')}})) == fault::head_size);
  CAF_CHECK(error({{":method", "GET"}, {":path", "/123456789"}, {":authority", "a"}}) ==
            fault::none);
  CAF_CHECK(error({{":method", "GET"}, {":path", "/1234567890"}, {":authority", "a"}}) ==
            fault::target_size);
}

CAF_TEST(a huge section costs no more memory than its limit) {
  h2_section section{{1000, 100, 100}};
  for (auto i = 0; i < 100'000; ++i)
    section.add("name", std::string(100, 'v'));
  CAF_CHECK(section.too_large());
  h2_request request;
  CAF_CHECK(section.finish(request));
  CAF_CHECK_LESS(request.memory.size(), 2000u);
}

CAF_TEST(only trailers that may be one are kept) {
  auto section = section_of({{"x-sum", "1"}, {"content-length", "5"}, {"authorization", "x"}});
  const auto trailers = section.finish_trailers();
  CAF_REQUIRE_EQUAL(trailers.size(), 1u);
  CAF_CHECK_EQUAL(trailers[0].name, "x-sum");
}
