// A node with actors that misbehave, each under the name of what it does; otherwise caf-node.
// System tests look at what that does to clients and to the shutdown.
//
//   slow      answers HTTP after ?ms=N; JSON "get" tells how many requests it got, answered, lost
//   odd       JSON: fails in the way that the method names; HTTP: answers in the way that the path
//             names
//   stubborn  ignores the request to end, so that its supervisor has to kill it
//   blocker   JSON "block" never returns: nothing but the end of the process helps
#include <time.h>

#include <iostream>
#include <map>

#include <boost/json.hpp>

#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/registry/asking.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/named_child.hpp"

#include "support/node_main.hpp"

using namespace caf_app;

namespace {

using http_promise = caf::typed_response_promise<http_response>;

struct slow_state {
  slow_state() = default;
  static inline const char* name = "test.slow";
  std::map<uint64_t, http_promise> open;
  int64_t started = 0;
  int64_t answered = 0;
  int64_t cancelled = 0;
};

caf::behavior slow(caf::stateful_actor<slow_state, app_actor>* self) {
  return {[self](const http_request& request) -> caf::result<http_response> {
            auto promise = self->make_response_promise<http_promise>();
            const auto ms =
                request.query.starts_with("ms=") ? std::stoi(request.query.substr(3)) : 0;
            ++self->state.started;
            self->state.open.emplace(request.id, promise);
            self->delayed_send(self, std::chrono::milliseconds{ms}, request.id);
            return promise;
          },
          [self](uint64_t id) {
            const auto found = self->state.open.find(id);
            if (found == self->state.open.end())
              return;
            ++self->state.answered;
            found->second.deliver(http_response{200, {{"content-type", "text/plain"}}, "slow\n"});
            self->state.open.erase(found);
          },
          [self](const http_cancel& cancel) {
            self->state.cancelled += static_cast<int64_t>(self->state.open.erase(cancel.id));
          },
          [self](const json_request&) {
            return json_reply{
                boost::json::serialize(boost::json::object{{"started", self->state.started},
                                                           {"answered", self->state.answered},
                                                           {"cancelled", self->state.cancelled}})};
          }};
}

struct odd_state {
  odd_state() = default;
  static inline const char* name = "test.odd";
  std::vector<caf::response_promise> unanswered;
};

const std::map<std::string, errc> failures{
    {"invalid_argument", errc::invalid_argument},
    {"denied", errc::denied},
    {"not_found", errc::not_found},
    {"conflict", errc::conflict},
    {"busy", errc::busy},
    {"io_failed", errc::io_failed},
};

const std::map<std::string, http_response> answers{
    {"/odd/status-199", {199, {}, ""}},
    {"/odd/status-700", {700, {}, ""}},
    {"/odd/line-break", {200, {{"x", "a\r\nb: c"}}, ""}},
    {"/odd/name", {200, {{"x y", "z"}}, ""}},
    {"/odd/no-content", {204, {}, ""}},
    {"/odd/teapot",
     {418, {{"x-pot", "tea"}, {"content-length", "99"}, {"connection", "close"}}, "short\n"}},
};

caf::behavior odd(caf::stateful_actor<odd_state, app_actor>* self) {
  return {[self](const json_request& request) -> caf::result<caf::message> {
            if (request.method == "throw")
              throw std::runtime_error("as asked for");
            auto promise = self->make_response_promise();
            if (request.method == "quit") {
              self->state.unanswered.push_back(promise);
              self->quit(caf::make_error(errc::handler_failed));
            } else if (request.method == "mute") {
              self->state.unanswered.push_back(promise);
            } else if (request.method == "number") {
              promise.deliver(42);
            } else if (request.method == "no-json") {
              promise.deliver(json_reply{"{"});
            } else if (const auto found = failures.find(request.method); found != failures.end()) {
              promise.deliver(caf::make_error(found->second, "as asked for \"\x01\""));
            } else {
              promise.deliver(json_reply{request.params});
            }
            return promise;
          },
          [](const http_request& request) -> http_response {
            const auto found = answers.find(request.path);
            return found == answers.end() ? http_response{200, {}, request.body} : found->second;
          },
          [](const http_cancel&) {}};
}

caf::behavior stubborn(app_actor* self) {
  self->set_exit_handler([](caf::exit_msg&) {});
  return {[](const json_request&) { return json_reply{"\"no\""}; }};
}

caf::behavior blocker(app_actor*) {
  return {[](const json_request& request) {
    while (request.method == "block") {
      const timespec second{1, 0};
      ::nanosleep(&second, nullptr);
    }
    return json_reply{"null"};
  }};
}

std::vector<child_spec> application(app& app, const std::string&) {
  const auto& names = app.names();
  supervisor_options options;
  options.restart.intensity = 1000; // tests kill its children at will
  options.restart.backoff.first = options.restart.backoff.max = std::chrono::milliseconds{1};
  const auto add = [&](const char* name, auto behavior) {
    auto child = named_child(names, name, [behavior](caf::actor_system& system) {
      return caf::actor{system.spawn(behavior)};
    });
    child.shutdown_timeout = std::chrono::milliseconds{500};
    options.children.push_back(std::move(child));
  };
  add("slow", slow);
  add("odd", odd);
  add("stubborn", stubborn);
  add("blocker", blocker);
  return {supervisor_child("misbehaving", std::move(options), std::chrono::seconds{10})};
}

} // namespace

int main(int argc, char** argv) { return run_test_node(argc, argv, application); }
