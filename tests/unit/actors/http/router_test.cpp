#define CAF_SUITE router

#include "actors/http/router.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::literals;

namespace {

constexpr method_set reading{method::get};

route_spec route(std::string path, uint32_t index, path_match match = path_match::prefix,
                 method_set methods = reading) {
  return {std::move(path), match, methods, options_answer::route, {}, index};
}

site_spec site(std::vector<std::string> hosts, std::vector<route_spec> routes, uint32_t index = 0) {
  return {std::move(hosts), std::move(routes), index};
}

router make(const std::vector<site_spec>& sites) {
  auto result = router::make(sites);
  CAF_REQUIRE(result);
  return std::move(*result);
}

bool is_refused(const std::vector<site_spec>& sites) { return !router::make(sites); }

// "site/route below" or the status of the refusal, with Allow.
std::string find(const router& routes, std::string_view host, std::string_view path,
                 method what = method::get) {
  std::string scratch;
  const auto got = routes.find({host, path, what}, scratch);
  const auto status = std::to_string(rejection_of(got.error).status);
  switch (got.outcome) {
    case route_outcome::found:
      return std::to_string(got.site) + "/" + std::to_string(got.route) + " " +
             std::string{got.below};
    case route_outcome::options: return "options " + to_string(got.allow);
    case route_outcome::unknown_host: return "unknown host " + status;
    case route_outcome::refused: break;
  }
  return status + (got.allow.empty() ? "" : " " + to_string(got.allow));
}

} // namespace

CAF_TEST(hosts are exact then the longest wildcard then the default) {
  const auto routes = make({
      site({"*"}, {route("/", 0)}, 0),
      site({"a.example"}, {route("/", 0)}, 1),
      site({"*.example"}, {route("/", 0)}, 2),
      site({"*.b.example", "B.example."}, {route("/", 0)}, 3),
  });
  CAF_CHECK_EQUAL(find(routes, "a.example", "/"), "1/0 /");
  CAF_CHECK_EQUAL(find(routes, "x.example", "/"), "2/0 /");
  CAF_CHECK_EQUAL(find(routes, "x.a.example", "/"), "2/0 /");
  CAF_CHECK_EQUAL(find(routes, "x.b.example", "/"), "3/0 /");
  CAF_CHECK_EQUAL(find(routes, "x.y.b.example", "/"), "3/0 /");
  CAF_CHECK_EQUAL(find(routes, "b.example", "/"), "3/0 /");
  CAF_CHECK_EQUAL(find(routes, "example", "/"), "0/0 /");
  CAF_CHECK_EQUAL(find(routes, "", "/"), "0/0 /");
}

CAF_TEST(without a default site a host may be unknown) {
  const auto routes = make({site({"a"}, {route("/", 0)}, 7)});
  CAF_CHECK_EQUAL(find(routes, "b", "/"), "unknown host 421");
  CAF_CHECK_EQUAL(find(routes, "", "/"), "unknown host 421");
  CAF_CHECK(routes.find_site("a") == 7u && !routes.find_site("b"));
}

CAF_TEST(the longest path on segment borders wins) {
  const auto routes = make({site({"*"}, {
                                            route("/a", 1),
                                            route("/a/b/", 2),
                                            route("/a/b/c/d", 3),
                                            route("/a/b", 4, path_match::exact),
                                            route("/a/", 5, path_match::exact),
                                        })});
  CAF_CHECK_EQUAL(find(routes, "h", "/a"), "0/1 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/"), "0/5 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/x"), "0/1 /x");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/bc"), "0/1 /bc");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/b"), "0/4 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/b/"), "0/2 /");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/b/c"), "0/2 /c");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/b/c/d/e/f"), "0/3 /e/f");
  CAF_CHECK_EQUAL(find(routes, "h", "/"), "404");
  CAF_CHECK_EQUAL(find(routes, "h", "/ab"), "404");
}

CAF_TEST(methods of one path may lead to several routes) {
  const auto routes = make({site({"*"}, {
                                            route("/a", 1),
                                            route("/a", 2, path_match::prefix, {method::post}),
                                            route("/a", 3, path_match::exact, {method::put}),
                                        })});
  CAF_CHECK_EQUAL(find(routes, "h", "/a"), "0/1 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a", method::head), "0/1 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a", method::post), "0/2 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a", method::put), "0/3 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/a", method::patch), "405 GET, HEAD, POST, PUT");
  CAF_CHECK_EQUAL(find(routes, "h", "/a/x", method::put), "405 GET, HEAD, POST");
  CAF_CHECK_EQUAL(find(routes, "h", "/a", method::trace), "405 GET, HEAD, POST, PUT");
  CAF_CHECK_EQUAL(find(routes, "h", "/a", method::unknown), "501");
  CAF_CHECK_EQUAL(find(routes, "h", "", method::connect), "405");
}

CAF_TEST(OPTIONS is answered by the server or by the route) {
  auto fixed = route("/fixed", 1);
  fixed.options = options_answer::server;
  const auto routes = make({site(
      {"*"}, {fixed, route("/any", 2, path_match::prefix, routable_methods), route("/get", 3)})});
  CAF_CHECK_EQUAL(find(routes, "h", "/fixed", method::options), "options GET, HEAD, OPTIONS");
  CAF_CHECK_EQUAL(find(routes, "h", "/fixed", method::put), "405 GET, HEAD, OPTIONS");
  CAF_CHECK_EQUAL(find(routes, "h", "/any", method::options), "0/2 ");
  CAF_CHECK_EQUAL(find(routes, "h", "/get", method::options), "405 GET, HEAD");
  CAF_CHECK_EQUAL(find(routes, "h", "*", method::options),
                  "options GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
}

CAF_TEST(each route has its own rules for paths) {
  auto keep = route("/keep", 1);
  keep.rules.encoded_slash = encoded_slash::keep;
  auto merge = route("/", 2);
  merge.rules.slashes = slashes::merge;
  const auto routes = make({site({"*"}, {keep, merge, route("/plain", 3)})});
  CAF_CHECK_EQUAL(find(routes, "h", "/keep/a%2fb"), "0/1 /a%2Fb");
  CAF_CHECK_EQUAL(find(routes, "h", "/other/a%2fb"), "400");
  CAF_CHECK_EQUAL(find(routes, "h", "/other//a"), "0/2 /other/a");
  CAF_CHECK_EQUAL(find(routes, "h", "/plain//a"), "0/3 //a");
  CAF_CHECK_EQUAL(find(routes, "h", "//plain//a"), "0/3 /a"); // "/" merged it first
  CAF_CHECK_EQUAL(find(routes, "h", "//keep/a%2Fb"), "400");  // for the same reason
}

CAF_TEST(refusals have an order) {
  const auto routes = make({site({"a"}, {route("/x", 0)})});
  std::string scratch;
  const auto error = [&](route_query query) { return routes.find(query, scratch).error; };
  CAF_CHECK(error({"b", "/..", method::unknown, true}) == fault::path);
  CAF_CHECK(error({"b", "/", method::unknown, true}) == fault::method_unknown);
  CAF_CHECK(error({"a", "/", method::put, true}) == fault::misdirected);
  CAF_CHECK(error({"b", "/", method::put}) == fault::misdirected);
  CAF_CHECK(error({"a", "/", method::put}) == fault::not_found);
  CAF_CHECK(error({"a", "/x", method::put}) == fault::method_refused);
}

CAF_TEST(a route of a configuration is normal too) {
  const auto routes = make({site({"*"}, {route("/%61/../b%c3%a4", 1)})});
  CAF_CHECK_EQUAL(find(routes, "h", "/b%C3%A4/c"), "0/1 /c");
}

CAF_TEST(a deep path costs no more than the routes are deep) {
  const auto routes = make({site({"*"}, {route("/a", 1)})});
  std::string path = "/a";
  for (int i = 0; i < 4000; ++i)
    path += "/b";
  CAF_CHECK_EQUAL(find(routes, "h", path), "0/1 " + path.substr(2));
}

CAF_TEST(a wrong configuration is refused) {
  CAF_CHECK(is_refused({site({}, {})}));
  for (auto host : {"", "a:80", "a:", "*.", "*a", "a b", "*.*", "[::1"})
    CAF_CHECK(is_refused({site({host}, {})}));
  for (auto path : {"", "a", "*", "/a?b", "/..", "/%00", "/%zz", "/a b", "http://a/"})
    CAF_CHECK(is_refused({site({"a"}, {route(path, 0)})}));
  CAF_CHECK(is_refused({site({"a"}, {}), site({"b", "A"}, {})}));
  CAF_CHECK(is_refused({site({"*"}, {}), site({"*"}, {})}));
  CAF_CHECK(is_refused({site({"a"}, {route("/a", 0), route("/a/", 1)})}));
  CAF_CHECK(is_refused({site({"a"}, {route("/a", 0, path_match::prefix, {})})}));
  CAF_CHECK(!is_refused({site({"a"}, {route("/a", 0), route("/a", 1, path_match::exact)})}));
}
