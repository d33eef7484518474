#define CAF_SUITE front_actor
#include "actors/eval/front_actor.hpp"

#include <map>

#include "support/actor_fixture.hpp" // last: its macros are global

using namespace caf_app;
using namespace caf_app::eval;
using namespace std::chrono_literals;

namespace {

const std::string build(64, 'a');

/// What a node was asked, and how to answer.
struct node_state {
  node_state() = default;
  std::vector<caf::typed_response_promise<eval_reply>> open;
  std::vector<caf::strong_actor_ptr> callers;
  std::vector<eval_call> calls;
  size_t posts = 0;
};

using node_actor = caf::stateful_actor<node_state, app_actor>;

eval_reply with(uint16_t status, std::string body = "{}") {
  eval_reply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

/// A dispatcher that answers calls when the test says so.
caf::behavior silent_node(node_actor* self, bool has_build) {
  return {
      [self](eval_call& call) {
        auto promise = self->make_response_promise<caf::typed_response_promise<eval_reply>>();
        self->state.callers.push_back(self->current_sender());
        self->state.calls.push_back(std::move(call));
        self->state.open.push_back(promise);
        return promise;
      },
      [self](eval_reply& reply) { self->state.open.back().deliver(std::move(reply)); },
      [self, has_build](const eval_build_request& request) {
        self->state.posts += request.operation == "post" ? 1 : 0;
        return with(has_build ? 200 : 404);
      },
  };
}

struct fixture : actor_fixture {
  fixture() {
    evaluator_options options;
    options.node = "edge";
    options.names = names;
    options.books = std::make_shared<metrics>();
    options.log = make_silent_logger();
    options.entropy = std::string(32, 'e');
    options.state->confinement = "null";
    front = spawn_on<front_actor>(sys, static_cast<event_loop*>(nullptr),
                                  std::make_shared<const evaluator_options>(std::move(options)));
    consume_messages();
  }

  ~fixture() {
    end(front, caf::exit_reason::user_shutdown);
    for (auto& [name, node] : nodes)
      end(node, caf::exit_reason::user_shutdown);
  }

  void add_node(const std::string& name, bool has_build = false) {
    nodes[name] = sys.spawn(silent_node, has_build);
    names->register_name("eval." + name, nodes[name]);
    consume_messages();
  }

  node_state& at(const std::string& name) { return deref<node_actor>(nodes.at(name)).state; }

  /// Has a node answer the call that came last.
  void answer_from(const std::string& name, eval_reply reply) {
    caf::anon_send(nodes.at(name), std::move(reply));
    consume_messages();
  }

  /// Asks the front. @returns where the answer will be
  template <class Request>
  std::shared_ptr<eval_reply> ask(Request request) {
    auto answer = std::make_shared<eval_reply>(with(0));
    sys.spawn([this, request, answer](app_actor* self) {
      self->ask(front, 10s, request)
          .then([answer](eval_reply& reply) { *answer = std::move(reply); },
                [answer](caf::error& why) { *answer = with(1, describe(why)); });
    });
    consume_messages();
    return answer;
  }

  std::shared_ptr<eval_reply> call(const std::string& user, std::vector<std::string> effects = {}) {
    eval_call what;
    what.id = ++last_id;
    what.build = build;
    what.kind = "function";
    what.entry = "f";
    what.user = user;
    what.effects = std::move(effects);
    what.deadline_ms = 1000;
    return ask(what);
  }

  /// The node whose last call is of that user; the one that is asked.
  std::string asked(const std::string& user) {
    for (auto& [name, node] : nodes)
      if (is_alive(node) && !at(name).calls.empty() && at(name).calls.back().user == user)
        return name;
    return "nobody";
  }

  std::shared_ptr<registry> names = registry::make();
  caf::actor front;
  std::map<std::string, caf::actor> nodes;
  uint64_t last_id = 0;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(front_actor_tests, fixture)

  CAF_TEST(without an evaluator there is no answer but 503) {
    CAF_CHECK_EQUAL(call("u")->status, 503);
  }

  CAF_TEST(a node alone gets everything) {
    add_node("a");
    const auto answer = call("u");
    CAF_REQUIRE_EQUAL(at("a").calls.size(), 1u);
    answer_from("a", with(200, "x"));
    CAF_CHECK_EQUAL(answer->body, "x");
  }

  CAF_TEST(a key goes to one node and keys spread) {
    for (auto name : {"a", "b", "c"})
      add_node(name);
    std::map<std::string, size_t> count;
    for (int i = 0; i < 30; ++i) {
      const auto user = std::to_string(i);
      std::string first;
      for (int again = 0; again < 2; ++again) {
        const auto answer = call(user);
        const auto node = asked(user);
        CAF_CHECK(again == 0 || node == first);
        first = node;
        answer_from(node, with(200));
        CAF_CHECK_EQUAL(answer->status, 200);
      }
      ++count[first];
    }
    CAF_CHECK_EQUAL(count.size(), 3u);
  }

  CAF_TEST(a node gets the deadline of the caller and what is left of it the second time) {
    add_node("a");
    add_node("b");
    call("u");
    const auto first = asked("u");
    CAF_CHECK_EQUAL(at(first).calls.back().deadline_ms, 1000u);
    sched.clock().current_time += 300ms;
    answer_from(first, with(503));
    const auto second = first == "a" ? "b" : "a";
    CAF_REQUIRE_EQUAL(at(second).calls.size(), 1u);
    CAF_CHECK_EQUAL(at(second).calls.back().deadline_ms, 700u);
  }

  CAF_TEST(a call that a node refuses as unavailable moves on) {
    add_node("a");
    add_node("b");
    const auto answer = call("u");
    const auto first = asked("u");
    answer_from(first, with(503));
    const auto second = first == "a" ? "b" : "a";
    CAF_REQUIRE_EQUAL(at(second).calls.size(), 1u);
    answer_from(second, with(200));
    CAF_CHECK_EQUAL(answer->status, 200);
  }

  CAF_TEST(when all refuse the last refusal is the answer) {
    add_node("a");
    add_node("b");
    const auto answer = call("u");
    for (auto name : {asked("u"), std::string{asked("u") == "a" ? "b" : "a"}}) {
      answer_from(name, with(503, name));
    }
    CAF_CHECK_EQUAL(answer->status, 503);
  }

  CAF_TEST(other refusals are the answer) {
    add_node("a");
    add_node("b");
    for (auto status : {400, 404, 409, 429, 500, 502, 504}) {
      const auto answer = call("u");
      answer_from(asked("u"), with(static_cast<uint16_t>(status)));
      CAF_CHECK_EQUAL(answer->status, status);
    }
  }

  CAF_TEST(a call moves on when its node dies before it began) {
    add_node("a");
    add_node("b");
    const auto answer = call("u");
    const auto first = asked("u");
    end(nodes[first], caf::exit_reason::kill);
    const auto second = first == "a" ? "b" : "a";
    CAF_REQUIRE_EQUAL(at(second).calls.size(), 1u);
    answer_from(second, with(200));
    CAF_CHECK_EQUAL(answer->status, 200);
  }

  CAF_TEST(a call that runs is lost with its node) {
    add_node("a");
    add_node("b");
    const auto answer = call("u");
    const auto first = asked("u");
    const auto id = at(first).calls.back().id;
    caf::anon_send(front, eval_started{id});
    consume_messages();
    end(nodes[first], caf::exit_reason::kill);
    CAF_CHECK_EQUAL(answer->status, 502);
    CAF_CHECK(at(first == "a" ? "b" : "a").calls.empty());
  }

  CAF_TEST(a call with effects is not repeated on suspicion) {
    add_node("a");
    add_node("b");
    const auto answer = call("u", {"filesystem"});
    end(nodes[asked("u")], caf::exit_reason::kill);
    CAF_CHECK_EQUAL(answer->status, 502);
  }

  CAF_TEST(a node that left is not asked) {
    add_node("a");
    add_node("b");
    call("u");
    const auto first = asked("u");
    answer_from(first, with(200));
    end(nodes[first], caf::exit_reason::user_shutdown);
    call("u");
    CAF_CHECK(asked("u") != first);
    CAF_CHECK(asked("u") != "nobody");
  }

CAF_TEST(whoever has a build answers for it) {
  add_node("a");
  add_node("b", true);
  add_node("c");
  eval_build_request request;
  request.operation = "get";
  request.build = build;
  CAF_CHECK_EQUAL(ask(request)->status, 200);
}

CAF_TEST(a new build is made by one node) {
  add_node("a");
  add_node("b");
  eval_build_request request;
  request.operation = "post";
  request.body = "{}";
  ask(request);
  CAF_CHECK_EQUAL(at("a").posts + at("b").posts, 1u);
}

CAF_TEST(requests of the API are checked before they go anywhere) {
  add_node("a");
  eval_request request;
  request.method = "POST";
  request.path = "/builds/" + build + "/functions/f";
  request.body = R"({"policy":{}})";
  CAF_CHECK_EQUAL(ask(request)->status, 400);
  request.body = "{}";
  request.content_type = "text/plain";
  CAF_CHECK_EQUAL(ask(request)->status, 415);
  request.content_type = "application/json";
  request.request_timeout = "soon";
  CAF_CHECK_EQUAL(ask(request)->status, 400);
  request.method = "PUT";
  CAF_CHECK_EQUAL(ask(request)->status, 405);
  request.path = "/nothing";
  CAF_CHECK_EQUAL(ask(request)->status, 404);
  CAF_CHECK(at("a").calls.empty());
}

CAF_TEST_FIXTURE_SCOPE_END()
