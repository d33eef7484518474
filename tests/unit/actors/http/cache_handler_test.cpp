#define CAF_SUITE cache_handler
#include "actors/http/cache_handler.hpp"

#include <functional>

#include <caf/test/unit_test.hpp>

#include "support/http/cache_fixture.hpp"
#include "support/http/fake_exchange.hpp"
#include "support/http/queued_workers.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

/// What the route's handler is asked, and how it answers: at once, or when the test says so.
struct script {
  struct asked {
    exchange* open;
    std::string fields;
    bool gone = false;
  };

  std::vector<std::shared_ptr<asked>> requests;
  std::function<void(exchange&)> answer; ///< empty: the test answers later
};

class scripted_handler final : public route_handler {
public:
  explicit scripted_handler(script& what) : script_(what) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override {
    auto asked = std::make_shared<script::asked>();
    asked->open = &open;
    for (const auto& line : *open.request().fields)
      asked->fields.append(line.name).append("=").append(line.value).append("|");
    script_.requests.push_back(asked);
    if (script_.answer) {
      script_.answer(open);
      return nullptr;
    }
    return std::make_unique<task>(asked);
  }

private:
  struct task final : exchange_task {
    explicit task(std::shared_ptr<script::asked> what) : asked(std::move(what)) {}
    ~task() override { asked->gone = true; }
    void on_body(std::span<const char>) override {}
    void on_body_end() override {}
    std::shared_ptr<script::asked> asked;
  };

  script& script_;
};

void give(exchange& open, uint16_t status, std::string_view fields, std::string_view body) {
  const field_text lines{fields};
  const std::vector<field> views{lines.list().begin(), lines.list().end()};
  open.respond({status, "text/x", views, body});
}

struct client {
  fake_exchange open;
  std::unique_ptr<field_text> fields;
  std::unique_ptr<exchange_task> task;
  std::string path;

  std::string status() const { return open.answered_field("Cache-Status"); }
  const std::string& body() const { return open.given->body; }
};

struct world {
  world() : context(nullptr, std::make_shared<http_metrics>(books), nullptr, 0, now) {
    context.workers = workers;
    route.path = route.name = "/";
    entry.emplace(make_entry(books, route));
    make({});
  }

  void make(const cache_rules& rules) {
    auto service = std::make_shared<cache_service>(cache_service{
        std::make_shared<cache_store>(cache_limits{1 << 20, 1000, 16}, cache_books{books}), rules,
        5s, cache_metrics{books}, nullptr, "server"});
    store = service->store;
    handler = std::make_unique<cache_handler>(*entry, std::make_unique<scripted_handler>(origin),
                                              service);
  }

  std::unique_ptr<client> get(std::string_view fields = {}, method what = method::get,
                              std::string_view path = "/a") {
    auto result = std::make_unique<client>();
    result->path = path;
    result->fields = std::make_unique<field_text>(fields);
    auto& view = result->open.view;
    view.method = what;
    view.target = view.path = result->path;
    view.host = "a.org";
    view.fields = &result->fields->list();
    result->open.entry = &*entry;
    result->open.loop = &context;
    result->open.number = ++exchanges;
    result->task = handler->start(result->open);
    CAF_CHECK_EQUAL(result->task == nullptr, result->open.given.has_value());
    if (result->task)
      result->task->on_body_end();
    return result;
  }

  void settle() {
    while (workers->step()) {
    }
  }

  exchange& last() { return *origin.requests.back()->open; }

  void always(uint16_t status, std::string fields, std::string body = "content") {
    origin.answer = [=](exchange& open) { give(open, status, fields, body); };
  }

  steady::time_point now = steady_start;
  metrics books;
  loop_context context;
  std::shared_ptr<queued_workers> workers = std::make_shared<queued_workers>();
  http_route route;
  std::optional<route_entry> entry;
  script origin;
  std::shared_ptr<cache_store> store;
  std::unique_ptr<cache_handler> handler;
  uint64_t exchanges = 0;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(cache_handler_tests, world)

  CAF_TEST(the second request is a hit) {
    always(200, "Cache-Control: max-age=60\nX-A: 1");
    const auto first = get();
    CAF_CHECK_EQUAL(first->status(), "caf_app; fwd=uri-miss; ttl=60; stored");
    now += 10s;
    const auto second = get();
    CAF_CHECK_EQUAL(second->status(), "caf_app; hit; ttl=50");
    CAF_CHECK_EQUAL(second->body(), "content");
    CAF_CHECK_EQUAL(second->open.answered_field("X-A"), "1");
    CAF_CHECK_EQUAL(second->open.answered_field("Age"), "10");
    CAF_CHECK_EQUAL(second->open.answered_field("Server"), "server");
    CAF_CHECK(!second->open.answered_field("Date").empty());
    CAF_CHECK_EQUAL(origin.requests.size(), 1u);
  }

  CAF_TEST(a streamed response is stored when it is whole) {
    const auto first = get();
    const field_text lines{"Cache-Control: max-age=60"};
    const std::vector<field> fields{lines.list().begin(), lines.list().end()};
    last().begin({200, {}, fields, "one "}, std::nullopt);
    last().write("two");
    CAF_CHECK(!store->find("/a\na.org\nhttp", {}).entry);
    last().finish();
    CAF_CHECK_EQUAL(get()->body(), "one two");
    CAF_CHECK_EQUAL(origin.requests.size(), 1u);
  }

  CAF_TEST(a response that turns out too large or too short passes) {
    const field_text lines{"Cache-Control: max-age=60"};
    const std::vector<field> fields{lines.list().begin(), lines.list().end()};
    for (const auto size : {1000, 1001}) {
      const auto path = "/" + std::to_string(size);
      const auto first = get({}, method::get, path);
      last().begin({200, {}, fields, {}}, std::nullopt);
      last().write(std::string(600, 'x'));
      last().write(std::string(static_cast<size_t>(size) - 600, 'x'));
      last().finish();
      CAF_CHECK_EQUAL(first->open.given->body.size(), static_cast<size_t>(size));
      CAF_CHECK_EQUAL(store->find(path + "\na.org\nhttp", {}).entry != nullptr, size == 1000);
    }
    const auto cut = get({}, method::get, "/cut");
    last().begin({200, {}, fields, {}}, 10);
    last().write("short");
    last().finish();
    CAF_CHECK(!store->find("/cut\na.org\nhttp", {}).entry);
    const auto aborted = get({}, method::get, "/aborted");
    last().begin({200, {}, fields, {}}, std::nullopt);
    last().write("some");
    last().abort();
    CAF_CHECK(aborted->open.aborted);
    CAF_CHECK(!store->find("/aborted\na.org\nhttp", {}).entry);
  }

  CAF_TEST(one fetch serves all who came meanwhile) {
    std::vector<std::unique_ptr<client>> all;
    for (int i = 0; i < 20; ++i)
      all.push_back(get());
    CAF_CHECK_EQUAL(origin.requests.size(), 1u);
    give(last(), 200, "Cache-Control: max-age=60", "shared");
    settle();
    for (const auto& each : all)
      CAF_CHECK_EQUAL(each->body(), "shared");
    CAF_CHECK_EQUAL(origin.requests.size(), 1u);
    CAF_CHECK_EQUAL(all.back()->status(), "caf_app; fwd=uri-miss; ttl=60; collapsed");
  }

  CAF_TEST(an answer for one sends all others off at once) {
    std::vector<std::unique_ptr<client>> all;
    for (int i = 0; i < 20; ++i)
      all.push_back(get());
    const field_text lines{"Set-Cookie: id=0"};
    const std::vector<field> fields{lines.list().begin(), lines.list().end()};
    last().begin({200, {}, fields, {}}, std::nullopt); // its head is enough
    settle();
    CAF_CHECK_EQUAL(origin.requests.size(), 20u);
    for (size_t i = 1; i < 20; ++i)
      give(*origin.requests[i]->open, 200, "Set-Cookie: id=" + std::to_string(i), "x");
    for (size_t i = 0; i < 20; ++i)
      CAF_CHECK_EQUAL(all[i]->open.answered_field("Set-Cookie"), "id=" + std::to_string(i));
    // and for a while nobody waits
    const auto one = get();
    const auto other = get();
    CAF_CHECK_EQUAL(origin.requests.size(), 22u);
    now += 5s;
    const auto third = get();
    const auto fourth = get();
    CAF_CHECK_EQUAL(origin.requests.size(), 23u);
  }

  CAF_TEST(who waits takes over when the one who fetches has gone) {
    auto first = get();
    const auto second = get();
    const auto third = get();
    first->task.reset();
    CAF_CHECK(origin.requests[0]->gone);
    settle();
    CAF_REQUIRE_EQUAL(origin.requests.size(), 2u);
    give(last(), 200, "Cache-Control: max-age=60", "x");
    settle();
    CAF_CHECK_EQUAL(third->body(), "x");
    CAF_CHECK_EQUAL(second->body(), "x");
  }

  CAF_TEST(who waits may go) {
    const auto first = get();
    auto second = get();
    second.reset();
    give(last(), 200, "Cache-Control: max-age=60", "x");
    settle();
    CAF_CHECK_EQUAL(first->body(), "x");
  }

  CAF_TEST(another variant is fetched) {
    const auto first = get("X: 1");
    const auto second = get("X: 2");
    give(last(), 200, "Cache-Control: max-age=60\nVary: X", "one");
    settle();
    CAF_REQUIRE_EQUAL(origin.requests.size(), 2u);
    give(last(), 200, "Cache-Control: max-age=60\nVary: X", "two");
    CAF_CHECK_EQUAL(second->body(), "two");
    CAF_CHECK_EQUAL(get("X: 1")->body(), "one");
    CAF_CHECK_EQUAL(get("X: 2")->body(), "two");
    const auto third = get("X: 3");
    give(last(), 200, "Cache-Control: max-age=60\nVary: X", "three");
    CAF_CHECK(third->status().starts_with("caf_app; fwd=vary-miss"));
  }

  CAF_TEST(a stale response is validated) {
    always(200, "Cache-Control: max-age=10\nETag: \"a\"\nLast-Modified: <-99>");
    get();
    now += 10s;
    always(304, "Cache-Control: max-age=20\nX-New: 1", "");
    const auto second = get("If-None-Match: \"mine\"\nRange: bytes=0-1\nX-Own: 1");
    CAF_CHECK_EQUAL(origin.requests.back()->fields,
                    "X-Own=1|If-None-Match=\"a\"|If-Modified-Since=" + date_at(-99) + "|");
    CAF_CHECK_EQUAL(second->open.given->status, 206);
    CAF_CHECK_EQUAL(second->body(), "co");
    CAF_CHECK_EQUAL(second->status(), "caf_app; fwd=stale; fwd-status=304; ttl=20; stored");
    CAF_CHECK_EQUAL(get()->open.answered_field("X-New"), "1");
    CAF_CHECK_EQUAL(origin.requests.size(), 2u);
  }

  CAF_TEST(a new response takes the place of the stale one) {
    always(200, "Cache-Control: max-age=10\nETag: \"a\"");
    get();
    now += 10s;
    always(200, "Cache-Control: no-store", "new");
    CAF_CHECK_EQUAL(get()->body(), "new");
    CAF_CHECK_EQUAL(store->size(), 0u);
  }

  CAF_TEST(a 304 with a cookie is for one) {
    always(200, "Cache-Control: max-age=10\nETag: \"a\"");
    get();
    now += 10s;
    always(304, "Set-Cookie: id=1", "");
    const auto second = get();
    CAF_CHECK_EQUAL(second->body(), "content");
    CAF_CHECK_EQUAL(second->open.answered_field("Set-Cookie"), "id=1");
    CAF_CHECK_EQUAL(store->size(), 0u);
  }

  CAF_TEST(a 304 about something else is an error) {
    always(200, "Cache-Control: max-age=10\nETag: \"a\"");
    get();
    now += 10s;
    always(304, "ETag: \"b\"", "");
    CAF_CHECK_EQUAL(get()->open.given->status, 502);
    CAF_CHECK_EQUAL(store->size(), 0u);
  }

  CAF_TEST(errors are replaced where that is allowed) {
    always(200, "Cache-Control: max-age=10, stale-if-error=100\nETag: \"a\"");
    get();
    now += 10s;
    for (const auto status : {500, 502, 503, 504}) {
      always(static_cast<uint16_t>(status), "", "bad");
      const auto got = get();
      CAF_CHECK_EQUAL(got->body(), "content");
      CAF_CHECK(got->status().find("fwd-status=" + std::to_string(status)) != std::string::npos);
    }
    origin.answer = [](exchange& open) { open.respond_status(502); };
    CAF_CHECK_EQUAL(get()->body(), "content");
    origin.answer = [](exchange& open) { open.refuse(fault::shed); };
    CAF_CHECK_EQUAL(get()->body(), "content");
    always(404, "", "gone");
    CAF_CHECK_EQUAL(get()->open.given->status, 404);
  }

  CAF_TEST(what must be validated and cannot is a timeout) {
    always(200, "Cache-Control: max-age=10, must-revalidate, stale-if-error=100\nETag: \"a\"");
    get();
    now += 10s;
    origin.answer = [](exchange& open) { open.respond_status(502); };
    CAF_CHECK_EQUAL(get()->open.given->status, 504);
    origin.answer = [](exchange& open) { open.refuse(fault::shed); };
    CAF_CHECK_EQUAL(get()->open.given->status, 504);
    always(503, "", "own words");
    CAF_CHECK_EQUAL(get()->open.given->status, 503);
  }

  CAF_TEST(only what is stored) {
    const auto none = get("Cache-Control: only-if-cached");
    CAF_CHECK_EQUAL(none->open.given->status, 504);
    CAF_CHECK(origin.requests.empty());
  }

  CAF_TEST(a condition is answered from the whole) {
    const auto first = get("If-None-Match: \"a\"");
    CAF_CHECK_EQUAL(origin.requests.back()->fields, "");
    const field_text lines{"Cache-Control: max-age=60\nETag: \"a\""};
    const std::vector<field> fields{lines.list().begin(), lines.list().end()};
    last().begin({200, {}, fields, {}}, std::nullopt);
    last().write("whole");
    CAF_CHECK(!first->open.given);
    last().finish();
    CAF_CHECK_EQUAL(first->open.given->status, 304);
    CAF_CHECK_EQUAL(get()->body(), "whole");
  }

  CAF_TEST(a condition for the origin is not judged here) {
    always(200, "Cache-Control: max-age=60\nETag: \"a\"");
    get();
    always(412, "");
    for (const auto* fields : {"If-Match: \"b\"", "If-Match: \"a\"",
                               "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"}) {
      const auto asked = origin.requests.size();
      const auto answer = get(fields);
      CAF_CHECK_EQUAL(answer->open.given->status, 412);
      CAF_CHECK_EQUAL(answer->status(), "caf_app; fwd=bypass");
      CAF_CHECK_EQUAL(origin.requests.size(), asked + 1);
    }
    const auto wish = get("If-Match: \"a\"\nCache-Control: only-if-cached");
    CAF_CHECK_EQUAL(wish->open.given->status, 504);
    CAF_CHECK_EQUAL(get()->status().substr(0, 12), "caf_app; hit");
  }

  CAF_TEST(a condition does not hold back what is too large) {
    const auto first = get("If-None-Match: \"b\"");
    const field_text lines{"Cache-Control: max-age=60\nETag: \"a\""};
    const std::vector<field> fields{lines.list().begin(), lines.list().end()};
    last().begin({200, {}, fields, {}}, std::nullopt);
    last().write(std::string(900, 'x'));
    CAF_CHECK(!first->open.given);
    last().write(std::string(900, 'y'));
    last().finish();
    CAF_CHECK_EQUAL(first->body(), std::string(900, 'x') + std::string(900, 'y'));
  }

  CAF_TEST(other methods pass and change what is stored) {
    always(200, "Cache-Control: max-age=60");
    get();
    get({}, method::get, "/b");
    CAF_CHECK_EQUAL(store->size(), 2u);
    always(500, "");
    get({}, method::post);
    CAF_CHECK_EQUAL(store->size(), 2u);
    always(200, "");
    get({}, method::options);
    CAF_CHECK_EQUAL(store->size(), 2u);
    always(303, "Location: /b");
    CAF_CHECK_EQUAL(get({}, method::post)->status(), "caf_app; fwd=method");
    CAF_CHECK_EQUAL(store->size(), 0u);
  }

  CAF_TEST(what is not for the cache passes as it is) {
    for (const auto* fields :
         {"Range: bytes=0-1|", "Cache-Control: no-store|", "Upgrade: x|", "If-Match: \"a\"|",
          "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT|"}) {
      always(200, "Cache-Control: max-age=60");
      const std::string text{fields};
      get(text.substr(0, text.size() - 1));
      CAF_CHECK_EQUAL(store->size(), 0u);
      auto seen = origin.requests.back()->fields;
      CAF_CHECK_EQUAL(seen.replace(seen.find('='), 1, ": "), text);
    }
    get({}, method::head);
    CAF_CHECK_EQUAL(store->size(), 0u);
  }

  CAF_TEST(a slow client does not keep those who wait) {
    const auto first = get();
    first->open.room = false;
    CAF_CHECK(!last().has_room());
    const field_text lines{"Cache-Control: max-age=60"};
    const std::vector<field> fields{lines.list().begin(), lines.list().end()};
    last().begin({200, {}, fields, {}}, std::nullopt);
    CAF_CHECK(last().has_room()); // what is recorded is bounded
    last().write(std::string(1001, 'x'));
    CAF_CHECK(!last().has_room());
  }

  CAF_TEST_FIXTURE_SCOPE_END()
