#define CAF_SUITE respond_handler
#include "actors/http/respond_handler.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/http/fake_exchange.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

struct fixture {
  route_entry entry(respond_options options, header_list headers = {}) {
    http_route route;
    route.path = route.name = "/fixed";
    route.respond = std::move(options);
    return make_entry(books, std::move(route), std::move(headers));
  }
  metrics books;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(respond_handler_tests, fixture)

  CAF_TEST(a fixed answer is as configured) {
    const auto which =
        entry({201, "text/html", "hi", {{"X-A", "own"}}}, {{"x-a", "b"}, {"X-B", "c"}});
    auto handler = respond_handler::make(which, "server");
    CAF_REQUIRE(handler);
    fake_exchange open;
    CAF_CHECK(!(*handler)->start(open));
    CAF_CHECK_EQUAL(open.given->status, 201u);
    CAF_CHECK_EQUAL(open.given->type, "text/html");
    CAF_CHECK_EQUAL(open.given->body, "hi");
    CAF_CHECK_EQUAL(open.answered_field("x-a"), "own"); // goes before that of the site
    CAF_CHECK_EQUAL(open.answered_field("x-b"), "c");
    CAF_CHECK_EQUAL(open.given->fields.size(), 2u);
  }

  CAF_TEST(text is compressed when the configuration is read) {
    const std::string text(2000, 'x');
    const auto which = entry({200, "text/plain", text, {}});
    auto handler = respond_handler::make(which, "server");
    CAF_REQUIRE(handler);
    for (const auto& [accepted, coding] :
         {std::pair{"", ""}, std::pair{"gzip", "gzip"}, std::pair{"gzip;q=0.5, br", "br"},
          std::pair{"deflate", ""}}) {
      fake_exchange open;
      field_list fields;
      if (*accepted != 0)
        fields.push_back({"Accept-Encoding", accepted, known_field::accept_encoding});
      open.view.fields = &fields;
      CAF_CHECK(!(*handler)->start(open));
      CAF_CHECK_EQUAL(open.answered_field("content-encoding"), coding);
      CAF_CHECK_EQUAL(open.answered_field("vary"), "Accept-Encoding");
      CAF_CHECK_EQUAL(open.given->body == text, *coding == 0);
    }
  }

  CAF_TEST(an answer that HTTP does not allow is an invalid configuration) {
    const std::vector<respond_options> bad{{200, "text/plain\r\nX: y", "", {}},
                                           {200, "text/plain", "", {{"X", "a\nb"}}},
                                           {200, "text/plain", "", {{"X Y", "a"}}}};
    for (const auto& options : bad) {
      const auto which = entry(options);
      const auto handler = respond_handler::make(which, "");
      CAF_REQUIRE(!handler);
      CAF_CHECK_EQUAL(code_of(handler.error()), errc::invalid_config);
    }
  }

  CAF_TEST_FIXTURE_SCOPE_END()
