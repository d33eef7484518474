#define CAF_SUITE hook_handler
#include "actors/http/hook_handler.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/fake_exchange.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

http_config_ptr config_with(uint64_t body_memory) {
  auto config = std::make_shared<http_config>();
  config->site.emplace_back().host = {"a"};
  config->limits.body_memory = body_memory;
  return config;
}

struct fixture {
  const route_entry& hook(std::string_view path) {
    std::string scratch;
    const auto what = path == "/test/echo" ? method::post : method::get;
    const auto found = context.table->router().find({"a", path, what}, scratch);
    CAF_REQUIRE(found.outcome == route_outcome::found);
    return context.table->route(found.route);
  }

  /// The status of /test/block with `query`.
  uint16_t blocked(std::string_view query) {
    fake_exchange open;
    open.view.query = query;
    CAF_CHECK(!hook("/test/block").handler->start(open));
    return open.given ? open.given->status : 0;
  }

  const http_config_ptr config = config_with(8);
  const metrics_ptr books = std::make_shared<metrics>();
  const steady::time_point now{1h};
  loop_context context{*site_table::make(config, *books, nullptr, test_hook_routes(config->limits)),
                       std::make_shared<http_metrics>(*books), nullptr, 0, now};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(hook_handler_tests, fixture)

  CAF_TEST(an echo has the type and the content of its request) {
    for (const std::string content : {"", "short", "longer than what stays in memory"}) {
      const field type{"Content-Type", "text/x", known_field::content_type};
      field_list fields;
      fields.push_back(type);
      fake_exchange open;
      open.view.fields = &fields;
      open.loop = &context;
      const auto task = hook("/test/echo").handler->start(open);
      CAF_REQUIRE(task);
      open.view.fields = nullptr; // what start() saw is gone
      const auto half = content.size() / 2;
      task->on_body(std::span{content}.subspan(0, half));
      task->on_body(std::span{content}.subspan(half));
      CAF_CHECK(!open.given);
      task->on_body_end();
      CAF_REQUIRE(open.given);
      CAF_CHECK_EQUAL(open.given->status, 200u);
      CAF_CHECK_EQUAL(open.given->type, "text/x");
      CAF_CHECK_EQUAL(open.given->body, content);
    }
  }

  CAF_TEST(a block answers when its time is over) {
    for (const auto* query : {"ms=0", "0", "ms=1"})
      CAF_CHECK_EQUAL(blocked(query), 200u);
  }

  CAF_TEST(a block that is no time or too long is refused) {
    for (const auto* query :
         {"", "ms=", "ms=x", "ms=1x", "ms=-1", "ms=60001", "ms=99999999999", "s=1"})
      CAF_CHECK_EQUAL(blocked(query), 400u);
  }

  CAF_TEST(an echo takes as much as any route) {
    CAF_CHECK_EQUAL(hook("/test/echo").config.max_body, config->limits.max_body);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
