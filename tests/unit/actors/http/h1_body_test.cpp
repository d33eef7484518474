#define CAF_SUITE h1_body

#include "actors/http/h1_body.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h1_row.hpp"

using namespace caf_app::http;
using namespace std::literals;

namespace {

h1_request with(h1_framing framing, uint64_t length = 0) {
  h1_request request;
  request.framing = framing;
  request.content_length = length;
  return request;
}

} // namespace

CAF_TEST(a request without content is done at once) {
  for (auto request : {with(h1_framing::none), with(h1_framing::length, 0)}) {
    h1_body body{request, {}};
    CAF_CHECK(body.is_done());
    const auto step = body.feed("GET"sv);
    CAF_CHECK(step.event == h1_body_event::done);
    CAF_CHECK_EQUAL(step.consumed, 0u);
  }
}

CAF_TEST(content of a length is passed where it lies) {
  const auto input = "helloGET"sv;
  h1_body body{with(h1_framing::length, 5), {}};
  CAF_CHECK_EQUAL(body.remaining(), 5u);
  auto step = body.feed(input.substr(0, 2));
  CAF_CHECK(step.event == h1_body_event::data && step.data.data() == input.data());
  CAF_CHECK_EQUAL(body.remaining(), 3u);
  step = body.feed({});
  CAF_CHECK(step.event == h1_body_event::need_more);
  step = body.feed(input.substr(2));
  CAF_CHECK(step.event == h1_body_event::data && step.data.data() == input.data() + 2);
  CAF_CHECK_EQUAL(step.consumed, 3u);
  CAF_CHECK(!body.is_done());
  step = body.feed(input.substr(5));
  CAF_CHECK(step.event == h1_body_event::done && body.is_done());
  CAF_CHECK_EQUAL(step.consumed, 0u);
}

CAF_TEST(content over the limit is refused before its first byte) {
  h1_body_limits limits;
  limits.max_body = 4;
  h1_body body{with(h1_framing::length, 5), limits};
  const auto step = body.feed({});
  CAF_CHECK(step.event == h1_body_event::error && step.error == fault::body_size);
}

CAF_TEST(chunks are passed where they lie) {
  const auto input = "3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\nGET"sv;
  h1_body body{with(h1_framing::chunked), {}};
  auto step = body.feed(input);
  CAF_CHECK(step.event == h1_body_event::data && step.data.data() == input.data() + 3);
  CAF_CHECK_EQUAL(step.data.size(), 3u);
  auto rest = input.substr(step.consumed);
  step = body.feed(rest);
  CAF_CHECK_EQUAL(std::string(step.data.begin(), step.data.end()), "de");
  rest.remove_prefix(step.consumed);
  CAF_CHECK_EQUAL(body.remaining(), uint64_t{1} << 63);
  step = body.feed(rest);
  CAF_CHECK(step.event == h1_body_event::done && body.is_done());
  CAF_CHECK_EQUAL(rest.substr(step.consumed), "GET"sv);
  CAF_REQUIRE_EQUAL(body.trailers().size(), 1u);
  CAF_CHECK_EQUAL(body.trailers()[0].name + "=" + body.trailers()[0].value, "x=y");
}

CAF_TEST(content is checked before anything is sent) {
  auto request = with(h1_framing::length, 5);
  CAF_CHECK(check_content(request, 5) == fault::none);
  CAF_CHECK(check_content(request, 4) == fault::body_size);
  request.expect = h1_expect::other;
  CAF_CHECK(check_content(request, 5) == fault::expect_with_body);
  CAF_CHECK(check_content(request, 4) == fault::body_size);
  request.framing = h1_framing::none;
  CAF_CHECK(check_content(request, 4) == fault::expect);
}

CAF_TEST(trailers about anything but content data are dropped) {
  for (auto name : {"Host", "content-length", "Content-Anything", "IF-Match", "x-forwarded-for",
                    "cookie", "Set-Cookie", "te", "Transfer-Encoding", "Expect"})
    CAF_CHECK(!is_allowed_trailer(name));
  for (auto name : {"x-checksum", "Digest", "hosts", "contentx", "server-timing"})
    CAF_CHECK(is_allowed_trailer(name));
}
