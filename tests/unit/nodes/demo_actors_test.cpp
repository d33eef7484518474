#define CAF_SUITE demo_actors
#include "nodes/demo_actors.hpp"

#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "support/supervisor_fixture.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

struct fixture : supervisor_fixture {
  fixture() {
    auto with = options();
    with.children = {demo::demo_supervisor(names, nullptr)};
    start(std::move(with));
  }

  /// What the actor `name` answers, or the code of its error.
  std::string ask(const std::string& name, std::string method, std::string params = "null") {
    std::string result;
    auto handle = self->request(names->where_is(name), 1s,
                                json_request{std::move(method), std::move(params)});
    consume_messages();
    handle.receive([&](const json_reply& x) { result = x.value; },
                   [&](const caf::error& why) { result = to_string(code_of(why)); });
    return result;
  }

  std::shared_ptr<registry> names = registry::make();
};

const std::string no_method = to_string(errc::not_found);

} // namespace

CAF_TEST_FIXTURE_SCOPE(demo_actors_tests, fixture)

  CAF_TEST(the greeter greets by name) {
    CAF_CHECK_EQUAL(ask("greeter", "call", R"({"name":"Ada"})"), R"({"greeting":"Hello, Ada!"})");
    CAF_CHECK_EQUAL(ask("greeter", "greet", "{}"), R"({"greeting":"Hello, stranger!"})");
    for (const auto* odd : {"null", "[]", "{", R"({"name":1})"})
      CAF_CHECK_EQUAL(ask("greeter", "call", odd), R"({"greeting":"Hello, stranger!"})");
    CAF_CHECK_EQUAL(ask("greeter", "none"), no_method);
  }

  CAF_TEST(the greeter has an HTTP face) {
    http_request request;
    request.query = "name=Ada";
    auto handle = self->request(names->where_is("greeter"), 1s, request);
    consume_messages();
    handle.receive(
        [](const http_response& x) {
          CAF_CHECK_EQUAL(x.status, 200u);
          CAF_CHECK_EQUAL(x.body, "Hello, Ada!\n");
        },
        [](const caf::error&) { CAF_FAIL("no answer"); });
  }

  CAF_TEST(the counter counts) {
    CAF_CHECK_EQUAL(ask("counter", "get"), R"({"value":0})");
    CAF_CHECK_EQUAL(ask("counter", "add"), R"({"value":1})");
    CAF_CHECK_EQUAL(ask("counter", "call"), R"({"value":2})");
    CAF_CHECK_EQUAL(ask("counter", "get"), R"({"value":2})");
    CAF_CHECK_EQUAL(ask("counter", "none"), no_method);
  }

  CAF_TEST(a crash costs the counter its value and its name comes back) {
    ask("counter", "add");
    const auto first = names->where_is("counter")->id();
    ask("counter", "crash");
    pass(200ms); // of back-off
    CAF_REQUIRE(names->where_is("counter"));
    CAF_CHECK(names->where_is("counter")->id() != first);
    CAF_CHECK_EQUAL(ask("counter", "get"), R"({"value":0})");
    CAF_CHECK_EQUAL(ask("greeter", "call"), R"({"greeting":"Hello, stranger!"})");
  }

  CAF_TEST(listeners hear every tick) {
    pass(2500ms);
    CAF_CHECK_EQUAL(ask("ticker", "get"), R"({"ticks":2})");
    CAF_CHECK_EQUAL(ask("listener-1", "get"), R"({"heard":2})");
    CAF_CHECK_EQUAL(ask("listener-2", "call"), R"({"heard":2})");
    CAF_CHECK_EQUAL(ask("ticker", "none"), no_method);
    CAF_CHECK_EQUAL(ask("listener-1", "none"), no_method);
  }

  CAF_TEST(all actors are children of demo) {
    for (const auto* id : {"greeter", "counter", "listener-1", "listener-2", "ticker"})
      CAF_CHECK(state("root/demo/" + std::string{id}) == tree_state::running);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
