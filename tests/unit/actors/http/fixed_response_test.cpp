#define CAF_SUITE fixed_response
#include "actors/http/fixed_response.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string whole(const fixed_response& answer) {
  std::string result;
  answer.h1().append_to(result, date);
  return result;
}

} // namespace

CAF_TEST(the prepared form is head and content with the date of its use) {
  const field line{"X-A", "b"};
  const auto answer = fixed_response::make({200, "text/plain", {&line, 1}, "hello"}, "server");
  CAF_REQUIRE(answer);
  CAF_CHECK_EQUAL(whole(*answer), "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                  "Server: server\r\nContent-Type: text/plain\r\n"
                                  "Content-Length: 5\r\nX-A: b\r\n\r\nhello");
}

CAF_TEST(a copy does not depend on what it was made of) {
  std::optional<fixed_response> answer;
  {
    const std::string name{"X-Name-That-Is-Long-Enough"}, value{"a value that is long enough too"};
    const std::string type{"application/octet-stream"}, body(100, 'b');
    const field line{name, value};
    answer = fixed_response::make({404, type, {&line, 1}, body}, "");
  }
  const auto moved = std::move(*answer);
  const auto view = moved.view();
  CAF_CHECK_EQUAL(view.status, 404u);
  CAF_CHECK_EQUAL(view.content_type, "application/octet-stream");
  CAF_REQUIRE_EQUAL(view.fields.size(), 1u);
  CAF_CHECK_EQUAL(view.fields[0].name, "X-Name-That-Is-Long-Enough");
  CAF_CHECK_EQUAL(view.fields[0].value, "a value that is long enough too");
  CAF_CHECK_EQUAL(view.body, std::string(100, 'b'));
  CAF_CHECK_EQUAL(moved.body_size(), 100u);
}

CAF_TEST(short texts survive a move as well) {
  auto answer = fixed_response::make({200, "a/b", {}, "x"}, "");
  const field line{"A", "b"};
  answer = fixed_response::make({200, "a/b", {&line, 1}, "x"}, "");
  const fixed_response moved{std::move(*answer)};
  answer.reset();
  CAF_CHECK_EQUAL(moved.view().fields[0].name, "A");
  CAF_CHECK_EQUAL(moved.view().fields[0].value, "b");
}

CAF_TEST(a status without content has no length) {
  const auto answer = fixed_response::make({204, "", {}, "ignored"}, "");
  CAF_REQUIRE(answer);
  CAF_CHECK_EQUAL(whole(*answer),
                  "HTTP/1.1 204 No Content\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

CAF_TEST(what HTTP does not allow is not made) {
  const field bad{"X", "a\r\nb"};
  CAF_CHECK(!fixed_response::make({200, "", {&bad, 1}, ""}, ""));
  CAF_CHECK(!fixed_response::make({200, "a\nb", {}, ""}, ""));
  CAF_CHECK(!fixed_response::make({200, "", {}, ""}, "a\nb"));
}
