#define CAF_SUITE site_table
#include "actors/http/site_table.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

class no_handler final : public route_handler {
public:
  std::unique_ptr<exchange_task> start(exchange&) const override { return nullptr; }
};

http_route route_to(std::string path, std::vector<std::string> methods = {}) {
  http_route route;
  route.path = route.name = std::move(path);
  route.methods = std::move(methods);
  return route;
}

caf::expected<std::unique_ptr<route_handler>> make_handler(const route_entry&) {
  return std::make_unique<no_handler>();
}

struct fixture {
  caf::expected<site_table_ptr> make(const handler_factory& factory = make_handler,
                                     const std::vector<extra_route>& extras = {}) {
    return site_table::make(std::make_shared<http_config>(config), books, factory, extras);
  }

  http_site& site(std::vector<std::string> host) {
    auto& result = config.site.emplace_back();
    result.host = std::move(host);
    return result;
  }

  /// The path of the route that takes a request, or the status of the refusal.
  static std::string taken(const site_table& table, std::string_view host, std::string_view path,
                           method what = method::get) {
    std::string scratch;
    const auto found = table.router().find({host, path, what}, scratch);
    if (found.outcome == route_outcome::found)
      return table.route(found.route).site + table.route(found.route).config.path;
    if (found.outcome == route_outcome::options)
      return "options";
    return std::to_string(rejection_of(found.error).status);
  }

  http_config config;
  metrics books;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(site_table_tests, fixture)

  CAF_TEST(routes of all sites have their entries) {
    site({"a", "b"}).route = {route_to("/x"), route_to("/x/y")};
    site({"*"}).route = {route_to("/")};
    const auto table = make();
    CAF_REQUIRE(table);
    CAF_CHECK_EQUAL(taken(**table, "a", "/x/1"), "a/x");
    CAF_CHECK_EQUAL(taken(**table, "b", "/x/y"), "a/x/y"); // a site is called by its first host
    CAF_CHECK_EQUAL(taken(**table, "c", "/x"), "*/");
    CAF_CHECK_EQUAL(taken(**table, "a", "/none"), "404");
  }

  CAF_TEST(no methods mean all that are routed) {
    site({"a"}).route = {route_to("/x"), route_to("/y", {"POST"})};
    const auto table = make();
    CAF_REQUIRE(table);
    CAF_CHECK_EQUAL(taken(**table, "a", "/x", method::patch), "a/x");
    CAF_CHECK_EQUAL(taken(**table, "a", "/x", method::trace), "405");
    CAF_CHECK_EQUAL(taken(**table, "a", "/y", method::get), "405");
    CAF_CHECK_EQUAL(taken(**table, "a", "/y", method::post), "a/y");
  }

  CAF_TEST(the server answers OPTIONS of fixed answers only) {
    auto fixed = route_to("/fixed", {"GET"});
    auto actor = route_to("/actor");
    actor.kind = route_kind::actor;
    site({"a"}).route = {fixed, actor};
    const auto table = make();
    CAF_REQUIRE(table);
    CAF_CHECK_EQUAL(taken(**table, "a", "/fixed", method::options), "options");
    CAF_CHECK_EQUAL(taken(**table, "a", "/actor", method::options), "a/actor");
  }

  CAF_TEST(an exact route takes its path only) {
    auto exact = route_to("/x");
    exact.match = route_match::exact;
    site({"a"}).route = {exact};
    const auto table = make();
    CAF_REQUIRE(table);
    CAF_CHECK_EQUAL(taken(**table, "a", "/x"), "a/x");
    CAF_CHECK_EQUAL(taken(**table, "a", "/x/y"), "404");
  }

  CAF_TEST(extra routes are part of every site) {
    site({"a"}).route = {route_to("/")};
    site({"b"}).route = {route_to("/")};
    const extra_route extra{route_to("/extra"),
                            [](const route_entry&) { return std::make_unique<no_handler>(); }};
    const auto table = make(make_handler, {extra});
    CAF_REQUIRE(table);
    CAF_CHECK_EQUAL(taken(**table, "a", "/extra"), "a/extra");
    CAF_CHECK_EQUAL(taken(**table, "b", "/extra"), "b/extra");
  }

  CAF_TEST(handlers see the entry that stays) {
    site({"a"}).route = {route_to("/x"), route_to("/y"), route_to("/z")};
    std::vector<const route_entry*> seen;
    const auto table = make([&](const route_entry& entry) {
      seen.push_back(&entry);
      return make_handler(entry);
    });
    CAF_REQUIRE(table);
    for (uint32_t i = 0; i < 3; ++i)
      CAF_CHECK_EQUAL(&(*table)->route(i), seen[i]);
  }

  CAF_TEST(a handler that cannot be made is the error of the table) {
    site({"a"}).route = {route_to("/x")};
    const auto table =
        make([](const route_entry&) -> caf::expected<std::unique_ptr<route_handler>> {
          return caf::make_error(errc::invalid_config, "no");
        });
    CAF_REQUIRE(!table);
    CAF_CHECK_EQUAL(code_of(table.error()), errc::invalid_config);
  }

  CAF_TEST(routes and sites that contradict each other are refused) {
    site({"a"}).route = {route_to("/x"), route_to("/x")};
    CAF_CHECK_EQUAL(code_of(make().error()), errc::invalid_config);
    config.site.clear();
    site({"a"});
    site({"b", "a"});
    CAF_CHECK_EQUAL(code_of(make().error()), errc::invalid_config);
  }

  CAF_TEST(fields of the route go before those of the site) {
    auto& where = site({"a"});
    where.headers = {{"X-A", "site"}, {"X-B", "site"}};
    where.route = {route_to("/x")};
    where.route[0].headers = {{"x-a", "route"}};
    const auto table = make();
    CAF_REQUIRE(table);
    CAF_CHECK((*table)->route(0).headers == (header_list{{"x-a", "route"}, {"X-B", "site"}}));
  }

  CAF_TEST_FIXTURE_SCOPE_END()
