#include "nodes/admin_actor.hpp"

#include <optional>

#include <boost/json.hpp>

#include <caf/send.hpp>

#include "actors/eval/call_envelope.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/messages/json.hpp"
#include "nodes/admin_command.hpp"
#include "nodes/admin_forward.hpp"
#include "nodes/admin_reply.hpp"
#include "nodes/admin_scaling.hpp"
#include "nodes/admin_scrape.hpp"

namespace caf_app {

namespace json = boost::json;

namespace {

using admin_reply::failure;
using admin_reply::json_text;
using admin_reply::no_such_name;
using admin_reply::ok;
using admin_reply::refusal;
using admin_reply::text_reply;
using reply = caf::typed_response_promise<http_response>;
using services_ptr = std::shared_ptr<const admin_services>;

constexpr std::chrono::seconds watch_time{25}; // the client asks again; below every timeout

std::string_view field_of(const http_request& request, std::string_view name) {
  for (const auto& line : request.fields)
    if (line.name == name)
      return line.value;
  return {};
}

/// The interface, one function per command.
class admin {
public:
  admin(app_actor* self, services_ptr services) : self_(self), services_(std::move(services)) {}

  caf::result<http_response> handle(const http_request& request) const {
    if (request.path == "/healthz")
      return text_reply(200, "text/plain", "ok\n");
    if (request.path == "/readyz")
      return readiness();
    if (!allowed(request))
      return refusal(401, "a token is needed: Authorization: Bearer ...", "unauthorized");
    if (const auto node = wanted_node(request); !node.empty() && node != services_->node)
      return forward_request(self_, *services_->names, node, request);
    if (request.path == "/metrics" && (request.method == "GET" || request.method == "HEAD"))
      return scrape_->answer();
    if (request.path == "/v1/eval" && (request.method == "GET" || request.method == "HEAD"))
      return evaluator();
    if (request.method == "GET" || request.method == "HEAD")
      return query(request.path);
    if (!field_of(request, "content-type").starts_with("application/json"))
      return refusal(415, "commands are JSON: Content-Type: application/json", "media_type");
    auto parsed = read_admin_command(request.body);
    if (!parsed)
      return failure(parsed.error());
    if (request.path == "/v1/kill")
      if (const auto node = other_holder(parsed->name); !node.empty())
        return forward_request(self_, *services_->names, node, request);
    return run(request.path, *parsed);
  }

private:
  bool allowed(const http_request& request) const {
    return services_->token.empty() || request.peer.starts_with("unix:") ||
           field_of(request, "authorization") == "Bearer " + services_->token;
  }

  http_response readiness() const {
    const auto serving = services_->status().state == "serving";
    return text_reply(serving ? 200 : 503, "text/plain", serving ? "ready\n" : "draining\n");
  }

  http_response query(const std::string& path) const {
    const auto now = steady_now();
    if (path == "/v1/status")
      return ok(to_json(services_->status()));
    if (path == "/v1/nodes")
      return ok(services_->cluster ? to_json(services_->cluster())
                                   : json::array{to_json(services_->status())});
    if (path == "/v1/names")
      return ok(to_json(services_->names->names("", now)));
    if (path == "/v1/groups")
      return ok(to_json(services_->names->groups("")));
    if (path == "/v1/tree" || path == "/v1/actors")
      return ok(to_json(services_->tree->list(), now));
    if (path == "/v1/scaler" || path == "/v1/decisions")
      return scaler_reply({services_->scaler.get(), services_->eval_scaler.get()}, path);
    return refusal(404, "nothing is at " + path, "not_found");
  }

  caf::result<http_response> run(const std::string& path, const admin_command& what) const {
    if (path == "/v1/ask")
      return ask(what);
    if (path == "/v1/send")
      return send(what);
    if (path == "/v1/publish")
      return publish(what);
    if (path == "/v1/watch")
      return watch(what);
    if (path == "/v1/kill")
      return kill(what);
    if (path == "/v1/drain") {
      services_->drain();
      return ok({{"draining", true}});
    }
    if (path == "/v1/scale")
      return scale(services_->scaler.get(), what.body);
    if (path == "/v1/reload") {
      if (auto err = services_->reload())
        return refusal(409, describe(err), "invalid_config");
      return ok({{"reloaded", true}});
    }
    return refusal(404, "nothing is at " + path, "not_found");
  }

  caf::result<http_response> ask(const admin_command& what) const {
    auto request = request_of(what.body);
    if (!request)
      return failure(request.error());
    const auto target = services_->names->where_is(what.name);
    if (!target)
      return failure(no_such_name(what.name));
    auto promise = self_->make_response_promise<reply>();
    self_->ask(target, what.timeout, std::move(*request))
        .then([promise](json_reply& x) mutable { promise.deliver(json_text(200, x.value)); },
              [promise](caf::error& why) mutable { promise.deliver(failure(why)); });
    return promise;
  }

  /// What the evaluator's front of this node says about itself.
  caf::result<http_response> evaluator() const {
    const auto front = services_->names->where_is("eval");
    if (!front)
      return refusal(404, "no evaluator is known to this node", "not_found");
    auto promise = self_->make_response_promise<reply>();
    self_->ask(front, admin_command::timeout_default, json_request{"GET", R"({"path":"/health"})"})
        .then(
            [promise](json_reply& x) mutable {
              promise.deliver(json_text(200, std::string{eval::find_member(x.value, "body")}));
            },
            [promise](caf::error& why) mutable { promise.deliver(failure(why)); });
    return promise;
  }

  http_response send(const admin_command& what) const {
    auto request = request_of(what.body);
    if (!request)
      return failure(request.error());
    const auto target = services_->names->where_is(what.name);
    if (!target)
      return failure(no_such_name(what.name));
    caf::anon_send(target, std::move(*request));
    return ok({{"sent", true}});
  }

  http_response publish(const admin_command& what) const {
    auto request = request_of(what.body);
    if (!request)
      return failure(request.error());
    const auto count = services_->names->publish(what.name, caf::make_message(std::move(*request)),
                                                 self_->context());
    json::object told{{"members", count.local}};
    if (services_->cluster)
      told["remote_nodes"] = count.remote_nodes;
    return ok(told);
  }

  caf::result<http_response> watch(const admin_command& what) const {
    const auto target = services_->names->where_is(what.name);
    if (!target && what.actor == 0)
      return failure(no_such_name(what.name));
    if (!target)
      return ok(
          {{"event", "down"}, {"actor", what.actor}, {"reason", describe(why_unusable(nullptr))}});
    if (what.actor != 0 && target->id() != what.actor)
      return ok({{"event", "changed"}, {"actor", target->id()}});
    if (what.actor == 0)
      return ok({{"event", "watching"}, {"actor", target->id()}});
    auto promise = self_->make_response_promise<reply>();
    const auto id = target->id();
    const auto ref = self_->watch(target, [promise, id](const down& x) mutable {
      promise.deliver(ok({{"event", "down"},
                          {"actor", id},
                          {"reason", x.reason ? describe(x.reason) : "normal"}}));
    });
    self_->delayed_send(self_, watch_time, ref);
    timeouts_->emplace(ref, [promise, id]() mutable {
      if (promise.pending())
        promise.deliver(ok({{"event", "none"}, {"actor", id}}));
    });
    return promise;
  }

public:
  admin_scrape& scrape() const noexcept { return *scrape_; }

  void on_watch_timeout(uint64_t ref) const {
    const auto found = timeouts_->find(ref);
    if (found == timeouts_->end())
      return;
    self_->unwatch(ref);
    found->second();
    timeouts_->erase(found);
  }

private:
  /// The node that has the holder of a cluster name, empty if that is this one. Ends do not cross
  /// links, so its own interface has to send them.
  std::string other_holder(const std::string& name) const {
    for (const auto& entry : services_->names->names(name, steady_now()))
      if (entry.name == name && entry.node != services_->node)
        return entry.node;
    return {};
  }

  http_response kill(const admin_command& what) const {
    auto target = services_->names->where_is(what.name);
    for (const auto& path : {what.name, "root/" + what.name})
      if (!target)
        if (const auto entry = services_->tree->find(path))
          target = caf::actor_cast<caf::actor>(entry->address);
    if (!target)
      return failure(caf::make_error(errc::not_found, "neither a name nor a path of the tree: \"" +
                                                          what.name + "\""));
    caf::anon_send_exit(target, caf::exit_reason::kill);
    return ok({{"killed", target->id()}});
  }

  app_actor* self_;
  services_ptr services_;
  std::shared_ptr<admin_scrape> scrape_ =
      std::make_shared<admin_scrape>(self_, services_->books, services_->instances);
  std::shared_ptr<std::unordered_map<uint64_t, std::function<void()>>> timeouts_ =
      std::make_shared<std::unordered_map<uint64_t, std::function<void()>>>();
};

} // namespace

caf::behavior admin_actor(named_actor<"admin">* self,
                          std::shared_ptr<const admin_services> services) {
  const admin face{self, std::move(services)};
  return {[face](const http_request& request) { return face.handle(request); },
          [face](uint64_t watch) { face.on_watch_timeout(watch); },
          [face](uint64_t ticket, std::string& text) {
            face.scrape().deliver(ticket, std::move(text));
          },
          [face](caf::tick_atom, uint64_t question) { face.scrape().give_up(question); },
          [](const http_cancel&) {}};
}

} // namespace caf_app
