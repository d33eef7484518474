#define CAF_SUITE cache_actor
#include "actors/http/cache_actor.hpp"

#include "caf_app/base/error.hpp"
#include "caf_app/messages/json.hpp"
#include "support/http/cache_fixture.hpp"

#include "support/actor_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

bool is_read(const std::string& text) { return static_cast<bool>(parse_purge_request(text)); }

} // namespace

CAF_TEST(three kinds of purges) {
  const auto url = parse_purge_request(R"({"purge": {"url": "http://a/x"}})");
  CAF_REQUIRE(url);
  CAF_CHECK(url->what == cache_purge::kind::url);
  CAF_CHECK_EQUAL(url->target, "/x");
  CAF_CHECK_EQUAL(url->authority, "a");
  CAF_CHECK(parse_purge_request(R"({"purge": {"prefix": "/"}})")->what ==
            cache_purge::kind::prefix);
  CAF_CHECK_EQUAL(parse_purge_request(R"({"purge": {"tag": "t"}})")->target, "t");
}

CAF_TEST(what is no purge says what was expected) {
  for (const auto* text :
       {"", "null", "[]", "{}", R"({"purge": "x"})", R"({"purge": {}})", R"({"purge": {"url": 7}})",
        R"({"purge": {"url": "x"}})", R"({"purge": {"all": true}})", R"({"purge": {"tag": ""}})",
        R"({"purge": {"url": "/a", "tag": "t"}})", R"({"purge": {"url": "/a"}, "x": 1})"}) {
    CAF_CHECK(!is_read(text));
    const auto why = describe(parse_purge_request(text).error());
    CAF_CHECK(why.find("expected {\"purge\"") != std::string::npos);
  }
}

CAF_TEST(a keeper has one store per limits and purges all that are used) {
  metrics registry;
  cache_keeper keeper{registry};
  const auto one = keeper.store({1 << 20, 1000, 16});
  CAF_CHECK(one == keeper.store({1 << 20, 1000, 16}));
  const auto two = keeper.store({1 << 20, 2000, 16});
  CAF_CHECK(one != two);
  for (const auto& store : {one, two})
    store->insert("/a\na\nhttp", std::make_shared<const cache_entry>(entry_from("")), 0);
  CAF_CHECK_EQUAL(keeper.purge(*parse_purge(cache_purge::kind::url, "/a")), 2u);
}

CAF_TEST_FIXTURE_SCOPE(cache_actor_tests, actor_fixture)

  CAF_TEST(purges are carried out and counted) {
    metrics registry;
    const auto keeper = std::make_shared<cache_keeper>(registry);
    const auto store = keeper->store({1 << 20, 1000, 16});
    store->insert("/a\na\nhttp", std::make_shared<const cache_entry>(entry_from("")), 0);
    const caf::actor actor = sys.spawn(cache_actor, keeper, make_silent_logger());
    consume_messages();
    CAF_CHECK(keeper->guardian() == actor);
    auto reply = self->request(actor, std::chrono::seconds{1},
                               json_request{"call", R"({"purge": {"prefix": "/"}})"});
    consume_messages();
    reply.receive([](const json_reply& told) { CAF_CHECK_EQUAL(told.value, R"({"purged":1})"); },
                  [](const caf::error&) { CAF_FAIL("it was refused"); });
    auto bad = self->request(actor, std::chrono::seconds{1}, json_request{"call", "{}"});
    consume_messages();
    bad.receive([](const json_reply&) { CAF_FAIL("it was accepted"); },
                [](const caf::error& why) { CAF_CHECK(code_of(why) == errc::invalid_argument); });
    CAF_CHECK_EQUAL(store->size(), 0u);
    self->send_exit(actor, caf::exit_reason::user_shutdown);
    consume_messages();
  }

  CAF_TEST_FIXTURE_SCOPE_END()
