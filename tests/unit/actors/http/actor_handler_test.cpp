#define CAF_SUITE actor_handler
#include "actors/http/actor_handler.hpp"

#include <functional>

#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "support/http/fake_exchange.hpp"

#include "support/actor_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

/// The actor of a connection that has one exchange open, or none.
class fake_connection final : public connection_base {
public:
  explicit fake_connection(caf::actor_config& cfg) : connection_base(cfg, nullptr) {}

  exchange* open = nullptr;
  std::function<void()> job; ///< runs in the actor at ok_atom, where handlers run

protected:
  caf::behavior make_behavior() override {
    return {[this](caf::ok_atom) { job(); }};
  }

private:
  exchange* find_open(uint64_t id) override { return open && open->id() == id ? open : nullptr; }
  void settle() override {}
};

/// What targets were asked, and what http_cancel told them.
struct asked {
  std::vector<std::string> calls;
  std::vector<uint64_t> cancelled;
  http_request last;
};

struct target_state {
  target_state() = default;
  std::vector<caf::response_promise> silent;
};

/// Answers by method (JSON) or path (HTTP); "silent" is answered by nobody.
caf::behavior target(caf::stateful_actor<target_state, app_actor>* self,
                     std::shared_ptr<asked> books) {
  return {[self, books](const json_request& x) -> caf::result<json_reply> {
            books->calls.push_back(x.method + " " + x.params);
            if (x.method == "silent") {
              self->state.silent.push_back(self->make_response_promise());
              return caf::delegated<json_reply>{};
            }
            if (x.method == "garbled")
              return json_reply{"{\"ok\":"};
            for (const auto code : {errc::invalid_argument, errc::denied, errc::not_found,
                                    errc::conflict, errc::draining, errc::busy, errc::io_failed,
                                    errc::target_failed, errc::link_lost})
              if (x.method == std::to_string(static_cast<int>(code)))
                return caf::make_error(code, "why");
            return json_reply{"{\"ok\":" + x.params + "}"};
          },
          [self, books](const http_request& x) -> caf::result<caf_app::http_response> {
            books->calls.push_back(x.method + " " + x.path);
            books->last = x;
            if (x.path == "/silent") {
              self->state.silent.push_back(self->make_response_promise());
              return caf::delegated<caf_app::http_response>{};
            }
            if (x.path == "/status")
              return caf_app::http_response{static_cast<uint16_t>(std::stoi(x.query)), {}, ""};
            if (x.path == "/bad")
              return caf_app::http_response{200, {{"X-A", "a\r\nb"}}, ""};
            return caf_app::http_response{201,
                                          {{"content-type", "text/x"},
                                           {"connection", "close"},
                                           {"content-length", "9"},
                                           {"x-a", "b"}},
                                          "body"};
          },
          [books](const http_cancel& x) { books->cancelled.push_back(x.id); }};
}

struct fixture : actor_fixture {
  fixture() { owner->open = &open; }

  ~fixture() override {
    task.reset();
    end(connection, caf::exit_reason::kill);
    for (const auto& x : targets)
      end(x, caf::exit_reason::kill);
  }

  caf::actor hold_name() {
    auto result = targets.emplace_back(sys.spawn(target, books));
    CAF_REQUIRE(names->register_name("it", result));
    return result;
  }

  /// Sends a request through a fresh handler, to its end or until it waits.
  void request(actor_face face, method what, std::string_view below, std::string_view query = "",
               std::string content = "", std::vector<field> lines = {}) {
    task.reset();
    http_route route;
    route.path = route.name = "/it";
    route.actor = {"it", face};
    route.timeout = 1000ms;
    entry = std::make_unique<route_entry>(make_entry(*registry_of_metrics, route, headers));
    testee = std::make_unique<actor_handler>(*entry, names, *registry_of_metrics);
    field_list fields;
    for (auto& line : lines) {
      line.id = find_known_field(line.name);
      fields.push_back(line);
    }
    open.given.reset();
    open.view = {what, to_string(what), "/target",        below, below, query,
                 "a",  &fields,         !content.empty(), {}};
    open.loop = &context;
    open.actor = owner;
    owner->job = [&] {
      task = testee->start(open);
      if (task && !content.empty())
        task->on_body(content);
      if (task)
        task->on_body_end();
    };
    caf::anon_send(connection, caf::ok_atom_v);
    consume_messages();
  }

  void call(std::string_view method_name, method what = method::post) {
    request(actor_face::json, what, "/" + std::string{method_name});
  }

  uint16_t status() { return open.given ? open.given->status : 0; }

  double outcome(const std::string& word) {
    const auto text = registry_of_metrics->exposition();
    const auto name = "caf_http_actor_requests_total{route=\"/it\",outcome=\"" + word + "\"} ";
    return std::stod(text.substr(text.find(name) + name.size()));
  }

  std::shared_ptr<registry> names = registry::make();
  std::shared_ptr<asked> books = std::make_shared<asked>();
  metrics_ptr registry_of_metrics = std::make_shared<metrics>();
  const steady::time_point now{1h};
  loop_context context{
      *site_table::make(std::make_shared<http_config>(), *registry_of_metrics, nullptr),
      std::make_shared<http_metrics>(*registry_of_metrics), nullptr, 0, now};
  caf::actor connection = sys.spawn<fake_connection>();
  fake_connection* owner = &deref<fake_connection>(connection);
  std::vector<caf::actor> targets;
  header_list headers;
  fake_exchange open;
  std::unique_ptr<route_entry> entry;
  std::unique_ptr<actor_handler> testee;
  std::unique_ptr<exchange_task> task;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(actor_handler_tests, fixture)

  CAF_TEST(the JSON face is called with method and query) {
    hold_name();
    request(actor_face::json, method::get, "/get/all", "a=1");
    CAF_CHECK_EQUAL(books->calls, std::vector<std::string>{R"(get.all {"a":"1"})"});
    CAF_CHECK_EQUAL(status(), 200u);
    CAF_CHECK_EQUAL(open.given->type, "application/json");
    CAF_CHECK_EQUAL(open.given->body, R"({"ok":{"a":"1"}})");
    CAF_CHECK_EQUAL(outcome("ok"), 1);
  }

  CAF_TEST(the JSON face is called with the content) {
    hold_name();
    request(actor_face::json, method::post, "", "ignored=1", "[1]",
            {{"Content-Type", "application/json"}});
    CAF_CHECK_EQUAL(books->calls, std::vector<std::string>{"call [1]"});
    request(actor_face::json, method::post, "");
    CAF_CHECK_EQUAL(books->calls.back(), "call null");
  }

  CAF_TEST(what the JSON face cannot take is refused without asking) {
    hold_name();
    request(actor_face::json, method::post, "", "", "{", {{"Content-Type", "application/json"}});
    CAF_CHECK_EQUAL(status(), 400u);
    request(actor_face::json, method::post, "", "", "{}", {{"Content-Type", "text/plain"}});
    CAF_CHECK_EQUAL(status(), 415u);
    request(actor_face::json, method::get, "", "a=%FF");
    CAF_CHECK_EQUAL(status(), 400u);
    request(actor_face::json, method::get, "", "", "", {{"Request-Timeout", "soon"}});
    CAF_CHECK_EQUAL(status(), 400u);
    CAF_CHECK(books->calls.empty());
  }

  CAF_TEST(the HTTP face sees the request) {
    hold_name();
    request(actor_face::http, method::put, "/p", "q=1", "content", {{"X-Field", "v"}});
    CAF_CHECK_EQUAL(books->last.id, open.number);
    CAF_CHECK_EQUAL(books->last.method, "PUT");
    CAF_CHECK_EQUAL(books->last.target, "/target");
    CAF_CHECK_EQUAL(books->last.path, "/p");
    CAF_CHECK_EQUAL(books->last.query, "q=1");
    CAF_CHECK_EQUAL(books->last.body, "content");
    CAF_CHECK_EQUAL(books->last.peer, open.peer());
    CAF_CHECK_EQUAL(books->last.site, "a");
    CAF_CHECK_EQUAL(books->last.deadline_ms, 1000u);
    CAF_REQUIRE_EQUAL(books->last.fields.size(), 1u);
    CAF_CHECK_EQUAL(books->last.fields[0].name, "x-field");
  }

  CAF_TEST(of an answer the server keeps what is its own) {
    hold_name();
    headers = {{"X-A", "of the route"}, {"X-C", "of the route"}};
    request(actor_face::http, method::get, "/");
    CAF_CHECK_EQUAL(status(), 201u);
    CAF_CHECK_EQUAL(open.given->type, "text/x");
    CAF_CHECK_EQUAL(open.given->body, "body");
    CAF_CHECK(open.given->fields == (header_list{{"x-a", "b"}, {"X-C", "of the route"}}));
  }

  CAF_TEST(an answer that HTTP does not allow is a bad gateway) {
    hold_name();
    for (const auto* bad : {"199", "600", "0", "101"}) {
      request(actor_face::http, method::get, "/status", bad);
      CAF_CHECK_EQUAL(status(), 502u);
    }
    request(actor_face::http, method::get, "/bad");
    CAF_CHECK_EQUAL(status(), 502u);
    CAF_CHECK_EQUAL(outcome("failed"), 5);
    request(actor_face::json, method::get, "/garbled");
    CAF_CHECK_EQUAL(status(), 502u);
    CAF_CHECK_EQUAL(outcome("failed"), 6);
    for (const auto* good : {"200", "599"}) {
      request(actor_face::http, method::get, "/status", good);
      CAF_CHECK_EQUAL(std::to_string(status()), good);
    }
  }

  CAF_TEST(a name that nobody holds is unavailable) {
    call("x");
    CAF_CHECK_EQUAL(status(), 503u);
    CAF_CHECK_EQUAL(open.answered_field("Retry-After"), "1");
    CAF_CHECK_EQUAL(outcome("no_such_name"), 1);
  }

  CAF_TEST(errors of the actor are told with their status) {
    hold_name();
    const std::vector<std::pair<errc, uint16_t>> rows{{errc::invalid_argument, 400},
                                                      {errc::denied, 403},
                                                      {errc::not_found, 404},
                                                      {errc::conflict, 409},
                                                      {errc::io_failed, 500}};
    for (const auto& [code, expected] : rows) {
      call(std::to_string(static_cast<int>(code)));
      CAF_CHECK_EQUAL(status(), expected);
      CAF_CHECK_EQUAL(open.given->type, "application/json");
      CAF_CHECK(open.given->body.find("\"error\":") != std::string::npos);
    }
    CAF_CHECK_EQUAL(outcome("refused"), 5);
  }

  CAF_TEST(a target that drains or is busy is unavailable) {
    hold_name();
    for (const auto code : {errc::draining, errc::busy}) {
      call(std::to_string(static_cast<int>(code)));
      CAF_CHECK_EQUAL(status(), 503u);
      CAF_CHECK_EQUAL(open.answered_field("Retry-After"), "1");
    }
  }

  CAF_TEST(what was not taken is asked once more if that is safe) {
    hold_name();
    call(std::to_string(static_cast<int>(errc::draining)), method::get);
    CAF_CHECK_EQUAL(books->calls.size(), 2u);
    CAF_CHECK_EQUAL(status(), 503u);
    call(std::to_string(static_cast<int>(errc::draining)), method::post);
    CAF_CHECK_EQUAL(books->calls.size(), 3u);
    CAF_CHECK_EQUAL(status(), 503u);
  }

  CAF_TEST(a request that may have been worked on is a bad gateway and not asked again) {
    hold_name();
    for (const auto code : {errc::target_failed, errc::link_lost}) {
      books->calls.clear();
      call(std::to_string(static_cast<int>(code)), method::get);
      CAF_CHECK_EQUAL(status(), 502u);
      CAF_CHECK_EQUAL(books->calls.size(), 1u);
    }
    CAF_CHECK_EQUAL(outcome("failed"), 2);
  }

  CAF_TEST(an actor that is silent is a timeout) {
    hold_name();
    call("silent");
    pass(999ms);
    CAF_CHECK_EQUAL(status(), 0u);
    pass(1ms);
    CAF_CHECK_EQUAL(status(), 504u);
    CAF_CHECK_EQUAL(outcome("timed_out"), 1);
  }

  CAF_TEST(a client may shorten the time and not lengthen it) {
    hold_name();
    request(actor_face::http, method::get, "/silent", "", "", {{"Request-Timeout", "20ms"}});
    CAF_CHECK_EQUAL(books->last.deadline_ms, 20u);
    pass(20ms);
    CAF_CHECK_EQUAL(status(), 504u);
    request(actor_face::http, method::get, "/silent", "", "", {{"Request-Timeout", "1h"}});
    CAF_CHECK_EQUAL(books->last.deadline_ms, 1000u);
  }

  CAF_TEST(a client that goes away cancels) {
    hold_name();
    request(actor_face::http, method::get, "/silent");
    owner->open = nullptr;
    task.reset();
    consume_messages();
    CAF_CHECK_EQUAL(books->cancelled, std::vector<uint64_t>{open.number});
    CAF_CHECK_EQUAL(outcome("cancelled"), 1);
    pass(1000ms); // the timeout finds nobody
    CAF_CHECK_EQUAL(status(), 0u);
  }

  CAF_TEST(a request whose content never came cancels nobody) {
    hold_name();
    request(actor_face::http, method::get, "/"); // makes the handler
    fake_exchange other;
    field_list fields;
    other.view = open.view;
    other.view.fields = &fields;
    other.loop = &context;
    task = testee->start(other);
    task.reset();
    consume_messages();
    CAF_CHECK(books->cancelled.empty());
    CAF_CHECK_EQUAL(outcome("cancelled"), 1);
  }

  CAF_TEST(an answered request cancels nobody) {
    hold_name();
    request(actor_face::http, method::get, "/");
    task.reset();
    consume_messages();
    CAF_CHECK(books->cancelled.empty());
    CAF_CHECK_EQUAL(outcome("cancelled"), 0);
  }

  CAF_TEST(a loop that lags refuses early) {
    hold_name();
    context.overloaded = true;
    call("x");
    CAF_CHECK_EQUAL(open.given->why, fault::shed);
    CAF_CHECK_EQUAL(open.answered_field("Retry-After"), "1");
    CAF_CHECK(books->calls.empty());
  }

  CAF_TEST_FIXTURE_SCOPE_END()
