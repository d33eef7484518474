#include "actors/http/actor_handler.hpp"

#include <algorithm>

#include <caf/send.hpp>

#include "actors/http/actor_call.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/servers_own.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/base/units.hpp"
#include "caf_app/messages/http.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/registry/ask_limits.hpp"

namespace caf_app::http {

namespace {

const field retry_after{"Retry-After", "1"};

} // namespace

/// One request on its way: collects the content, asks, answers. Destroyed early: cancelled.
class actor_handler::call final : public exchange_task {
public:
  call(const actor_handler& handler, exchange& open, std::chrono::milliseconds timeout)
      : handler_(handler), open_(open), timeout_(timeout), counters_(open.context().counters),
        may_retry_(is_safe(open.request().method)), moved_([this] { ask(); }) {
    counters_->in_flight(wait_state::actor).add();
  }

  ~call() override {
    counters_->in_flight(wait_state::actor).sub();
    if (done_)
      return;
    handler_.counters_.ended(actor_outcome::cancelled);
    if (target_ && handler_.entry_.config.actor.face == actor_face::http)
      caf::anon_send(target_, http_cancel{message.id});
  }

  void on_body(std::span<const char> bytes) override { body().append(bytes.data(), bytes.size()); }

  void on_body_end() override {
    if (handler_.entry_.config.actor.face == actor_face::json && json.params.empty())
      json.params = "null";
    else if (check_body)
      if (auto err = check_json(json.params))
        return refuse(err);
    ask();
  }

  /// Until it answers, or its deadline: with_open() is called in any case.
  bool works_on() const override { return asked_ && !done_; }

  json_request json;
  http_request message;
  bool check_body = false; ///< the content has to be JSON

private:
  std::string& body() {
    return handler_.entry_.config.actor.face == actor_face::json ? json.params : message.body;
  }

  void ask() {
    target_ = handler_.names_->where_is(handler_.entry_.config.actor.name);
    if (!target_ && wait_for_name())
      return;
    if (!target_)
      return fail(open_, actor_outcome::no_such_name, {503, true, false}, caf::none);
    if (handler_.entry_.config.actor.face == actor_face::json)
      send(may_retry_ ? json : std::move(json),
           [](call& self, exchange& open, json_reply& reply) { self.answer(open, reply); });
    else
      send(may_retry_ ? message : std::move(message),
           [](call& self, exchange& open, caf_app::http_response& reply) {
             self.answer(open, reply);
           });
  }

  // A name that was there a moment ago is on its way to another node: the request waits for it.
  bool wait_for_name() {
    auto* loop = open_.owner()->loop();
    if (!loop || !handler_.names_->moves(handler_.entry_.config.actor.name, loop->now()))
      return false;
    if (give_up_ == steady::time_point{})
      give_up_ = loop->now() + timeout_;
    if (loop->now() >= give_up_)
      return false;
    loop->timers().arm(moved_, loop->now() + limits::registry::retry_interval);
    return true;
  }

  // While the exchange is open this task exists: the two lambdas may use it then, and only then.
  // They answer by open_, which may be a cache in front of the one that is found.
  template <class Request, class Reply>
  void send(Request&& request, void (*on_reply)(call&, exchange&, Reply&)) {
    auto* owner = open_.owner();
    const auto id = open_.id();
    asked_ = true;
    owner->ask(target_, timeout_, std::forward<Request>(request))
        .then(
            [this, owner, id, on_reply](Reply& reply) {
              owner->with_open(id, [&](exchange&) { on_reply(*this, open_, reply); });
            },
            [this, owner, id](caf::error& why) {
              owner->with_open(id, [&](exchange&) { on_error(open_, why); });
            });
  }

  template <class Request, class F>
  void send(Request&& request, F on_reply) {
    send(std::forward<Request>(request), +on_reply);
  }

  void answer(exchange& open, json_reply& reply) {
    if (check_json(reply.value)) // an actor's text may hold any bytes
      return fail(open, actor_outcome::failed, {502, false, false}, caf::none);
    end(actor_outcome::ok);
    respond(open, {200, "application/json", {}, reply.value});
  }

  void answer(exchange& open, caf_app::http_response& reply) {
    std::string_view type;
    std::vector<field> fields;
    bool valid = reply.status >= 200 && reply.status <= 599;
    for (const auto& line : reply.fields) {
      const auto id = find_known_field(line.name);
      valid = valid && is_token(line.name) && is_field_value(line.value);
      if (id == known_field::content_type)
        type = line.value;
      else if (!is_servers_own(id))
        fields.push_back({line.name, line.value, id});
    }
    if (!valid)
      return fail(open, actor_outcome::failed, {502, false, false}, caf::none);
    end(actor_outcome::ok);
    respond(open, {reply.status, type, fields, reply.body});
  }

  void respond(exchange& open, response answer) {
    std::vector<field> fields{answer.fields.begin(), answer.fields.end()};
    add_missing(fields, handler_.entry_.headers);
    answer.fields = fields;
    open.respond(answer);
  }

  void on_error(exchange& open, caf::error& why) {
    const auto not_delivered = was_not_taken(why);
    const auto left = code_of(why) == errc::node_left; // orderly: another holds the name now
    if ((not_delivered || left) && may_retry_) {
      may_retry_ = false;
      return ask();
    }
    const auto outcome = not_delivered                     ? actor_outcome::not_delivered
                         : code_of(why) == errc::timed_out ? actor_outcome::timed_out
                         : failure_of(why).explain         ? actor_outcome::refused
                                                           : actor_outcome::failed;
    fail(open, outcome, failure_of(why), why);
  }

  void fail(exchange& open, actor_outcome outcome, actor_failure failure, const caf::error& why) {
    end(outcome);
    if (failure.explain)
      respond(open, {failure.status, "application/json", {}, explain_error(why)});
    else if (failure.retry_later)
      open.respond_status(failure.status, {&retry_after, 1});
    else
      open.respond_status(failure.status);
  }

  void refuse(const caf::error& why) {
    fail(open_, actor_outcome::refused, {400, false, true}, why);
  }

  void end(actor_outcome outcome) {
    done_ = true;
    handler_.counters_.ended(outcome);
  }

  const actor_handler& handler_;
  exchange& open_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<const http_metrics> counters_;
  caf::actor target_;
  bool may_retry_;
  bool asked_ = false;
  wheel_timer moved_;            // looks for the name again
  steady::time_point give_up_{}; // when that ends; unset: it did not begin
  bool done_ = false;
};

actor_handler::actor_handler(const route_entry& entry, std::shared_ptr<const registry> names,
                             metrics& books)
    : entry_(entry), names_(std::move(names)), counters_(books, entry.config.name) {}

std::unique_ptr<exchange_task> actor_handler::start(exchange& open) const {
  if (open.context().overloaded) {
    open.refuse(fault::shed, {&retry_after, 1});
    return nullptr;
  }
  const auto& request = open.request();
  const auto& fields = *request.fields;
  auto timeout = entry_.config.timeout;
  if (fields.has(known_field::request_timeout)) {
    const auto wanted = parse_duration(fields.first(known_field::request_timeout));
    if (!wanted) {
      open.respond_status(400);
      return nullptr;
    }
    timeout = std::min(timeout, *wanted);
  }
  return entry_.config.actor.face == actor_face::http ? start_http(open, timeout)
                                                      : start_json(open, timeout);
}

std::unique_ptr<exchange_task> actor_handler::start_http(exchange& open,
                                                         std::chrono::milliseconds timeout) const {
  const auto& request = open.request();
  auto task = std::make_unique<call>(*this, open, timeout);
  task->message = {open.id(),
                   std::string{request.method_text},
                   std::string{request.target},
                   std::string{request.path},
                   std::string{request.query},
                   copy_fields(*request.fields),
                   {},
                   std::string{open.peer()},
                   entry_.site,
                   static_cast<uint32_t>(timeout.count())};
  return task;
}

std::unique_ptr<exchange_task> actor_handler::start_json(exchange& open,
                                                         std::chrono::milliseconds timeout) const {
  const auto& request = open.request();
  std::string params;
  if (request.has_body) {
    if (!is_json_type(request.fields->first(known_field::content_type))) {
      open.respond_status(415);
      return nullptr;
    }
  } else if (is_safe(request.method)) {
    auto from_query = query_to_json(request.query);
    if (!from_query) {
      open.respond_status(400);
      return nullptr;
    }
    params = std::move(*from_query);
  }
  auto task = std::make_unique<call>(*this, open, timeout);
  task->json = {actor_method(request.below), std::move(params)};
  task->check_body = request.has_body;
  return task;
}

} // namespace caf_app::http
