#define CAF_SUITE admin_actor
#include "nodes/admin_actor.hpp"

#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"

#include "support/actor_fixture.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

/// What the asked actor has been told.
using heard = std::shared_ptr<std::vector<std::string>>;

caf::behavior echo(app_actor* self, heard books) {
  auto silent = std::make_shared<std::vector<caf::response_promise>>();
  self->attach_functor([silent](const caf::error&) { silent->clear(); });
  return {[=](const json_request& x) -> caf::result<json_reply> {
    books->push_back(x.method + " " + x.params);
    if (x.method == "silent") {
      silent->push_back(self->make_response_promise());
      return caf::delegated<json_reply>{};
    }
    if (x.method == "conflict")
      return caf::make_error(errc::conflict, "not now");
    return json_reply{x.params};
  }};
}

struct fixture : actor_fixture {
  fixture() {
    services->names = registry::make();
    services->tree = std::make_shared<supervision_tree>();
    services->books = std::make_shared<metrics>();
    services->status = [this] { return status; };
    services->reload = [this] { return reload_result; };
    services->drain = [this] { status.state = "draining"; };
    status.node = "n";
    status.state = "serving";
    testee = sys.spawn(admin_actor, services);
    target = sys.spawn(echo, books);
    CAF_REQUIRE(services->names->register_name("it", target));
    consume_messages();
  }
  ~fixture() override {
    end(target, caf::exit_reason::kill);
    end(testee, caf::exit_reason::kill);
  }

  static http_request request(std::string method, std::string path, std::string body = "") {
    http_request result;
    result.method = std::move(method);
    result.path = std::move(path);
    result.body = std::move(body);
    result.peer = "unix:";
    result.fields = {{"content-type", "application/json"}};
    return result;
  }

  /// @param wait for the answer
  http_response send(http_request what, milliseconds wait = 0ms) {
    http_response result{0, {}, ""};
    auto handle = self->request(testee, 60min, std::move(what));
    pass(wait);
    handle.receive([&](http_response& x) { result = std::move(x); },
                   [](const caf::error&) { CAF_FAIL("no answer"); });
    return result;
  }

  http_response get(std::string path) { return send(request("GET", std::move(path))); }
  http_response post(std::string path, std::string body, milliseconds wait = 0ms) {
    return send(request("POST", std::move(path), std::move(body)), wait);
  }

  std::shared_ptr<admin_services> services = std::make_shared<admin_services>();
  heard books = std::make_shared<std::vector<std::string>>();
  node_status status;
  caf::error reload_result;
  caf::actor testee;
  caf::actor target;
};

bool has(const http_response& reply, std::string_view part) {
  return reply.body.find(part) != std::string::npos;
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(admin_actor_tests, fixture)

  CAF_TEST(what a node is like can be read) {
    CAF_CHECK(has(get("/v1/status"), R"("node":"n")"));
    CAF_CHECK(has(get("/v1/nodes"), R"([{"node":"n")"));
    CAF_CHECK(has(get("/v1/names"), R"([{"name":"it")"));
    CAF_CHECK_EQUAL(get("/v1/groups").body, "[]");
    CAF_CHECK_EQUAL(get("/v1/tree").body, "[]");
    services->books->counter("caf_x_total", "X.").add();
    CAF_CHECK(has(get("/metrics"), "caf_x_total 1"));
    CAF_CHECK_EQUAL(get("/v1/none").status, 404u);
  }

  CAF_TEST(a draining node lives and is not ready) {
    CAF_CHECK_EQUAL(get("/readyz").status, 200u);
    CAF_CHECK_EQUAL(post("/v1/drain", "").status, 200u);
    CAF_CHECK_EQUAL(get("/readyz").status, 503u);
    CAF_CHECK_EQUAL(get("/healthz").status, 200u);
  }

CAF_TEST(a token is asked for over TCP alone) {
  services->token = "secret";
  auto over_tcp = request("GET", "/v1/status");
  over_tcp.peer = "127.0.0.1:5";
  CAF_CHECK_EQUAL(send(over_tcp).status, 401u);
  over_tcp.fields = {{"authorization", "Bearer secre"}};
  CAF_CHECK_EQUAL(send(over_tcp).status, 401u);
  over_tcp.fields = {{"authorization", "Bearer secret"}};
  CAF_CHECK_EQUAL(send(over_tcp).status, 200u);
  CAF_CHECK_EQUAL(get("/v1/status").status, 200u);
  over_tcp.fields.clear();
  for (const auto* path : {"/healthz", "/readyz"}) { // for probes of an orchestrator
    over_tcp.path = path;
    CAF_CHECK_EQUAL(send(over_tcp).status, 200u);
  }
}

CAF_TEST(a named actor can be asked) {
  const auto reply = post("/v1/ask", R"({"name":"it","body":{"method":"m","params":[1]}})");
  CAF_CHECK_EQUAL(reply.status, 200u);
  CAF_CHECK_EQUAL(reply.body, "[1]");
  CAF_CHECK_EQUAL(*books, std::vector<std::string>{"m [1]"});
}

CAF_TEST(an ask that fails has a status) {
  CAF_CHECK_EQUAL(post("/v1/ask", R"({"name":"none","body":1})").status, 404u);
  CAF_CHECK_EQUAL(post("/v1/ask", R"({"name":"it","body":{"method":"conflict"}})").status, 409u);
  const auto late =
      post("/v1/ask", R"({"name":"it","timeout":"20ms","body":{"method":"silent"}})", 20ms);
  CAF_CHECK_EQUAL(late.status, 504u);
}

CAF_TEST(a command that is not understood is refused) {
  for (const auto* body : {"[]", "{", "1", R"({"nmae":"it"})", R"({"name":1})", R"({"actor":-1})",
                           R"({"timeout":"soon"})", R"({"timeout":5})"})
    CAF_CHECK_EQUAL(post("/v1/ask", body).status, 400u);
  CAF_CHECK_EQUAL(post("/v1/ask", R"({"name":"it"})").status, 400u); // no body is no JSON
  CAF_CHECK_EQUAL(post("/v1/none", "{}").status, 404u);
  auto form = request("POST", "/v1/drain");
  form.fields = {{"content-type", "text/plain"}}; // what a foreign web page could send
  CAF_CHECK_EQUAL(send(form).status, 415u);
  CAF_CHECK_EQUAL(status.state, "serving");
}

CAF_TEST(a message can be sent and published) {
  CAF_CHECK_EQUAL(post("/v1/send", R"({"name":"it","body":2})").status, 200u);
  consume_messages();
  CAF_REQUIRE(services->names->join("g", target));
  CAF_CHECK_EQUAL(post("/v1/publish", R"({"name":"g","body":3})").body, R"({"members":1})");
  CAF_CHECK_EQUAL(post("/v1/publish", R"({"name":"none","body":3})").body, R"({"members":0})");
  consume_messages();
  CAF_CHECK_EQUAL(*books, (std::vector<std::string>{"call 2", "call 3"}));
  CAF_CHECK_EQUAL(post("/v1/send", R"({"name":"none","body":2})").status, 404u);
}

CAF_TEST(a kill finds names and paths) {
  const auto child = sys.spawn(echo, books);
  const auto root = services->tree->add(supervision_tree::root, "root", child_kind::supervisor);
  services->tree->set_started(services->tree->add(root, "child", child_kind::worker),
                              child->address(), steady::time_point{});
  CAF_CHECK_EQUAL(post("/v1/kill", R"({"name":"child"})").status, 200u);
  CAF_CHECK_EQUAL(post("/v1/kill", R"({"name":"it"})").status, 200u);
  consume_messages();
  CAF_CHECK(!is_alive(child));
  CAF_CHECK(!is_alive(target));
  CAF_CHECK_EQUAL(post("/v1/kill", R"({"name":"it"})").status, 404u);
}

CAF_TEST(a watch tells the actor first and its end then) {
  const auto first = post("/v1/watch", R"({"name":"it"})");
  CAF_CHECK(has(first, R"("event":"watching")"));
  const auto id = std::to_string(target->id());
  CAF_CHECK(has(first, id));
  const auto body = R"({"name":"it","actor":)" + id + "}";
  CAF_CHECK(has(post("/v1/watch", body, 25s), R"("event":"none")"));
  auto handle = self->request(testee, 60min, request("POST", "/v1/watch", body));
  consume_messages();
  end(target, caf::exit_reason::kill);
  http_response reply;
  handle.receive([&](http_response& x) { reply = std::move(x); },
                 [](const caf::error&) { CAF_FAIL("no answer"); });
  CAF_CHECK(has(reply, R"("event":"down")"));
  pass(26s); // what is left of the watch finds nobody
  CAF_CHECK_EQUAL(post("/v1/watch", R"({"name":"it"})").status, 404u);
}

CAF_TEST(a watch of a former holder tells what became of the name) {
  const auto old = std::to_string(target->id() + 1000);
  CAF_CHECK(has(post("/v1/watch", R"({"name":"it","actor":)" + old + "}"), R"("event":"changed")"));
  CAF_CHECK(has(post("/v1/watch", R"({"name":"gone","actor":)" + old + "}"), R"("event":"down")"));
}

CAF_TEST(a reload that fails says why) {
  CAF_CHECK_EQUAL(post("/v1/reload", "{}").status, 200u);
  reload_result = caf::make_error(errc::invalid_config, "line 7");
  const auto reply = post("/v1/reload", "{}");
  CAF_CHECK_EQUAL(reply.status, 409u);
  CAF_CHECK(has(reply, "line 7"));
}

CAF_TEST_FIXTURE_SCOPE_END()
