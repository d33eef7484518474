#define CAF_SUITE redirect_handler
#include "actors/http/redirect_handler.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/fake_exchange.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

fake_exchange redirected(std::string to, std::string_view path, std::string_view query,
                         uint16_t status = 308) {
  metrics books;
  http_route route;
  route.path = route.name = "/r";
  route.redirect = {std::move(to), status};
  const auto entry = make_entry(books, route, {{"X-Of-Route", "yes"}});
  fake_exchange open;
  open.view.path = path;
  open.view.query = query;
  CAF_CHECK(!redirect_handler{entry}.start(open));
  return open;
}

std::string location(std::string to, std::string_view path = "/p", std::string_view query = "q=1") {
  return redirected(std::move(to), path, query).answered_field("location");
}

} // namespace

CAF_TEST(a redirect has its status and its place and the fields of its route) {
  const auto open = redirected("/new", "/old", "", 301);
  CAF_CHECK_EQUAL(open.given->status, 301u);
  CAF_CHECK_EQUAL(open.answered_field("Location"), "/new");
  CAF_CHECK_EQUAL(open.answered_field("X-Of-Route"), "yes");
}

CAF_TEST(path and query of the request may be part of the place) {
  CAF_CHECK_EQUAL(location("https://b${path}?${query}"), "https://b/p?q=1");
  CAF_CHECK_EQUAL(location("${path}${path}"), "/p/p");
  CAF_CHECK_EQUAL(location("/x?${query}&y", "/p", ""), "/x?&y");
}

CAF_TEST(what a client puts into its query is not a template) {
  CAF_CHECK_EQUAL(location("/x?${query}", "/p", "${query}"), "/x?${query}");
  CAF_CHECK_EQUAL(location("/x${path}?${query}", "/${query}", "q"), "/x/${query}?q");
}
