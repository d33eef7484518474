#include "nodes/demo_actors.hpp"

#include <boost/json.hpp>

#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/registry/loop_app_actor.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/named_child.hpp"

namespace caf_app::demo {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds tick_period{1};

caf::error no_method(const std::string& method, const char* known) {
  return caf::make_error(errc::not_found, "method \"" + method + "\"; there are " + known);
}

std::string greeting_for(const std::string& name) {
  return "Hello, " + (name.empty() ? "stranger" : name) + "!";
}

/// A text member of a JSON object, empty if there is none.
std::string text_of(const std::string& params, std::string_view member) {
  json::error_code failed;
  const auto value = json::parse(params, failed);
  if (failed || !value.is_object())
    return {};
  const auto* found = value.as_object().if_contains(member);
  return found && found->is_string() ? std::string{found->as_string()} : std::string{};
}

class greeter final : public loop_app_actor {
public:
  using loop_app_actor::loop_app_actor;

  const char* name() const override { return "demo.greeter"; }

protected:
  caf::behavior make_behavior() override {
    return {[](const json_request& request) -> caf::result<json_reply> {
              if (request.method != "call" && request.method != "greet")
                return no_method(request.method, "call and greet");
              const json::object reply{{"greeting", greeting_for(text_of(request.params, "name"))}};
              return json_reply{json::serialize(reply)};
            },
            [](const http_request& request) -> http_response {
              const auto name = request.query.starts_with("name=") ? request.query.substr(5) : "";
              return {200, {{"content-type", "text/plain"}}, greeting_for(name) + "\n"};
            },
            [](const http_cancel&) {}};
  }
};

struct counter_state {
  counter_state() = default;
  static inline const char* name = "demo.counter";
  int64_t value = 0;
};

caf::behavior counter(caf::stateful_actor<counter_state, app_actor>* self) {
  return {[self](const json_request& request) -> caf::result<json_reply> {
    if (request.method == "crash")
      throw std::runtime_error("crash was asked for");
    if (request.method == "add" || request.method == "call")
      ++self->state.value;
    else if (request.method != "get")
      return no_method(request.method, "get, add and crash");
    return json_reply{json::serialize(json::object{{"value", self->state.value}})};
  }};
}

struct ticker_state {
  ticker_state() = default;
  static inline const char* name = "demo.ticker";
  int64_t ticks = 0;
};

caf::behavior ticker(caf::stateful_actor<ticker_state, app_actor>* self,
                     const std::shared_ptr<registry>& names) {
  self->delayed_send(self, tick_period, caf::tick_atom_v);
  return {[self, names](caf::tick_atom) {
            self->delayed_send(self, tick_period, caf::tick_atom_v);
            const json::object tick{{"tick", ++self->state.ticks}};
            names->publish("ticks", caf::make_message(json_request{"tick", json::serialize(tick)}),
                           self->context());
          },
          [self](const json_request& request) -> caf::result<json_reply> {
            if (request.method != "get" && request.method != "call")
              return no_method(request.method, "get");
            return json_reply{json::serialize(json::object{{"ticks", self->state.ticks}})};
          }};
}

struct listener_state {
  listener_state() = default;
  static inline const char* name = "demo.listener";
  int64_t heard = 0;
};

caf::behavior listener(caf::stateful_actor<listener_state, app_actor>* self,
                       const std::shared_ptr<registry>& names) {
  names->join("ticks", caf::actor{self});
  return {[self](const json_request& request) -> caf::result<json_reply> {
    if (request.method == "tick")
      ++self->state.heard;
    else if (request.method != "get" && request.method != "call")
      return no_method(request.method, "get and tick");
    return json_reply{json::serialize(json::object{{"heard", self->state.heard}})};
  }};
}

} // namespace

child_spec demo_supervisor(std::shared_ptr<registry> names, event_loop* loop) {
  supervisor_options options;
  options.children.push_back(named_child(
      names, "greeter",
      [loop](caf::actor_system& system) { return caf::actor{spawn_on<greeter>(system, loop)}; },
      name_scope::cluster));
  options.children.push_back(named_child(
      names, "counter", [](caf::actor_system& system) { return system.spawn(counter); },
      name_scope::cluster));
  for (const auto* id : {"listener-1", "listener-2"})
    options.children.push_back(named_child(
        names, id, [names](caf::actor_system& system) { return system.spawn(listener, names); },
        name_scope::cluster));
  options.children.push_back(named_child(
      names, "ticker", [names](caf::actor_system& system) { return system.spawn(ticker, names); },
      name_scope::cluster));
  return supervisor_child("demo", std::move(options), std::chrono::seconds{30});
}

} // namespace caf_app::demo
