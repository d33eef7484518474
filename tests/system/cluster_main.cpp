// caf-node with an actor `probe-<node>` that tests of the cluster drive by JSON: it hands out
// actors, watches those of other nodes, asks and floods, and tells what came of it.
//
//   watch  {"from", "count"}   watches so many fresh actors of another probe
//   downs  {}                  {"<reason>": how many}, and "twice"
//   load   {"target", "in_flight", "total", "timeout_ms", "mute_every", "dead_every", "idempotent",
//          "size", "pause_ms"}
//   loaded {}                  what came of the load so far
//   lost   {}                  names that were taken away
#include <iostream>
#include <map>
#include <set>

#include <boost/json.hpp>

#include "caf_app/messages/json.hpp"
#include "caf_app/registry/asking.hpp"
#include "caf_app/registry/idempotent_ask.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/named_child.hpp"

#include "support/node_main.hpp"

using namespace caf_app;
namespace json = boost::json;

namespace {

constexpr std::chrono::seconds short_time{5};

/// Answers the length of a text; a number never; "quit" ends it.
caf::behavior child(app_actor* self) {
  return {[self](const std::string& text) -> uint64_t {
            if (text == "quit")
              self->quit();
            return text.size();
          },
          [self](int32_t) -> caf::result<uint64_t> {
            return self->make_response_promise<caf::typed_response_promise<uint64_t>>();
          },
          [self](const caf::actor& other) { self->link_to(other); }};
}

struct load {
  std::string target;
  uint64_t in_flight = 1;
  uint64_t total = 0;
  std::chrono::milliseconds timeout{1000};
  uint64_t mute_every = 0;
  uint64_t dead_every = 0;
  uint64_t size = 16;
  bool idempotent = false;
  std::chrono::milliseconds pause{0}; // of each in flight, between two asks
  uint64_t sent = 0;
  uint64_t open = 0;
  uint64_t good = 0;
  std::map<std::string, uint64_t> errors;
  caf::actor dead;
  uint64_t run = 0; // asks of an earlier load count for nothing
};

struct probe_state {
  probe_state() = default;
  static inline const char* name = "test.probe";
  std::vector<caf::actor> children;
  std::map<std::string, uint64_t> downs;
  std::set<uint64_t> ended;
  uint64_t twice = 0;
  std::vector<std::string> lost;
  load work;
  std::shared_ptr<registry> names;
};

using probe = caf::stateful_actor<probe_state, app_actor>;

std::string word_of(const caf::error& why) {
  const auto text = describe(why);
  return text.substr(0, text.find(':'));
}

void watch_all(probe* self, const std::string& from, uint64_t count) {
  self->ask(self->state.names->where_is(from), short_time, count)
      .then(
          [self](const std::vector<caf::actor>& actors) {
            for (const auto& actor : actors)
              self->watch(actor, [self](const down& x) {
                ++self->state.downs[x.reason ? word_of(x.reason) : "normal"];
                self->state.twice += self->state.ended.insert(x.ref).second ? 0 : 1;
              });
            self->state.downs["watching"] += actors.size();
          },
          [self](caf::error& why) { ++self->state.downs["failed: " + describe(why)]; });
}

void go_on(probe* self);

template <class F>
void finish_one(probe* self, uint64_t run, F count) {
  if (self->state.work.run != run)
    return;
  count();
  const auto next = [self, run] {
    if (self->state.work.run != run)
      return;
    --self->state.work.open;
    go_on(self);
  };
  if (self->state.work.pause.count() == 0)
    next();
  else
    self->call_after(self->state.work.pause, next);
}

void ask_one(probe* self) {
  auto& work = self->state.work;
  const auto number = ++work.sent;
  ++work.open;
  const auto run = work.run;
  const auto on_error = [self, run](caf::error& why) {
    finish_one(self, run, [&] { ++self->state.work.errors[word_of(why)]; });
  };
  const auto on_reply = [self, run](uint64_t) {
    finish_one(self, run, [&] { ++self->state.work.good; });
  };
  const auto every = [&](uint64_t n) { return n != 0 && number % n == 0; };
  if (work.idempotent)
    ask_idempotent(
        self, self->state.names, work.target, work.timeout,
        caf::make_message(json_request{"get", "{}"}),
        [self, run](caf::message&) { finish_one(self, run, [&] { ++self->state.work.good; }); },
        on_error);
  else if (every(work.dead_every))
    self->ask(work.dead, work.timeout, std::string{"x"}).then(on_reply, on_error);
  else if (every(work.mute_every))
    self->ask(self->state.names->where_is(work.target), std::chrono::milliseconds{50}, int32_t{1})
        .then(on_reply, on_error);
  else
    self->ask(self->state.names->where_is(work.target), work.timeout, std::string(work.size, 'x'))
        .then(on_reply, on_error);
}

void go_on(probe* self) {
  auto& work = self->state.work;
  while (work.open < work.in_flight && work.sent < work.total)
    ask_one(self);
}

void begin_load(probe* self, const json::object& x) {
  const auto number = [&](const char* key, uint64_t fallback) {
    const auto* found = x.if_contains(key);
    return found ? found->to_number<uint64_t>() : fallback;
  };
  auto& work = self->state.work;
  const auto run = work.run + 1;
  work = {};
  work.run = run;
  work.target = x.at("target").as_string();
  work.in_flight = number("in_flight", 1);
  work.total = number("total", 1);
  work.timeout = std::chrono::milliseconds{number("timeout_ms", 1000)};
  work.mute_every = number("mute_every", 0);
  work.dead_every = number("dead_every", 0);
  work.size = number("size", 16);
  work.idempotent = number("idempotent", 0) != 0;
  work.pause = std::chrono::milliseconds{number("pause_ms", 0)};
  if (work.dead_every == 0)
    return go_on(self);
  self->ask(self->state.names->where_is(work.target), short_time, uint64_t{1})
      .then(
          [self](const std::vector<caf::actor>& actors) {
            self->state.work.dead = actors.front();
            self->send(actors.front(), std::string{"quit"});
            go_on(self);
          },
          [self](caf::error& why) { ++self->state.work.errors["no dead: " + describe(why)]; });
}

json::object report(const load& work) {
  json::object errors;
  for (const auto& [text, count] : work.errors)
    errors[text] = count;
  return {{"sent", work.sent},
          {"good", work.good},
          {"open", work.open},
          {"done", work.sent == work.total && work.open == 0},
          {"errors", std::move(errors)}};
}

json_reply answer(probe* self, const json_request& request) {
  const auto params = json::parse(request.params);
  const auto empty = json::object{};
  const auto& x = params.is_object() ? params.as_object() : empty;
  if (request.method == "watch")
    watch_all(self, std::string{x.at("from").as_string()}, x.at("count").to_number<uint64_t>());
  else if (request.method == "load")
    begin_load(self, x);
  else if (request.method == "loaded")
    return {json::serialize(report(self->state.work))};
  else if (request.method == "lost")
    return {json::serialize(json::value_from(self->state.lost))};
  else if (request.method == "downs") {
    json::object result{{"twice", self->state.twice}};
    for (const auto& [reason, count] : self->state.downs)
      result[reason] = count;
    return {json::serialize(result)};
  }
  return {"{}"};
}

caf::behavior probe_actor(probe* self, std::shared_ptr<registry> names) {
  names->register_name("here", caf::actor{self}); // for the test, whatever becomes of the cluster
  names->join("crowd", caf::actor{self});
  self->state.names = std::move(names);
  return {[self](const json_request& request) { return answer(self, request); },
          [self](uint64_t count) {
            std::vector<caf::actor> fresh;
            for (uint64_t i = 0; i < count; ++i)
              fresh.push_back(self->spawn<caf::linked>(child));
            auto& all = self->state.children;
            all.insert(all.end(), fresh.begin(), fresh.end());
            return fresh;
          },
          [](const std::string& text) -> uint64_t { return text.size(); },
          [self](int32_t) -> caf::result<uint64_t> {
            return self->make_response_promise<caf::typed_response_promise<uint64_t>>();
          },
          [self](const name_lost& x) { self->state.lost.push_back(x.name); }};
}

/// The holder of the name `prize`, which all nodes want: tells where it lives. Its node knows it as
/// `prize-here`, too.
caf::behavior prize_actor(probe* self, const std::string& node,
                          const std::shared_ptr<registry>& names) {
  names->register_name("prize-here", caf::actor{self});
  return {[self, node](const json_request& request) {
            if (request.method == "lost")
              return json_reply{json::serialize(json::value_from(self->state.lost))};
            return json_reply{json::serialize(json::object{{"node", node}})};
          },
          [self](const name_lost& x) { self->state.lost.push_back(x.name); }};
}

std::vector<child_spec> application(app& host, const std::string& node) {
  const auto names = host.names();
  supervisor_options options;
  options.children.push_back(named_child(
      names, "probe-" + node,
      [names](caf::actor_system& system) { return system.spawn(probe_actor, names); },
      name_scope::cluster));
  options.children.push_back(named_child(
      names, "prize",
      [node, names](caf::actor_system& system) { return system.spawn(prize_actor, node, names); },
      name_scope::cluster));
  std::vector<child_spec> result;
  result.push_back(supervisor_child("probes", std::move(options), std::chrono::seconds{5}));
  return result;
}

} // namespace

int main(int argc, char** argv) { return run_test_node(argc, argv, application); }
