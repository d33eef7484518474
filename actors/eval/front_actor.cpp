#include "actors/eval/front_actor.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "actors/eval/api_reply.hpp"
#include "actors/eval/call_envelope.hpp"
#include "caf_app/base/units.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

using what = api_route::what;
using std::chrono::milliseconds;

/// The answer to a waiting post leaves that long before its carrier gives up.
constexpr milliseconds answer_margin{100};
constexpr milliseconds json_time{60'000};

/// A larger request is looked at on the scheduler.
constexpr size_t loop_body_max = size_t{256} << 10;

bool is_json_type(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t'))
    type.remove_suffix(1);
  std::string lower{type};
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower == "application/json" || lower.ends_with("+json");
}

eval_reply malformed(const std::string& text) { return refusal(400, text, "invalid_request"); }

std::string member_text(const json& from, std::string_view name) {
  const auto* value = from.find(name);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? *text : std::string{};
}

uint64_t number_of(const std::string& entropy) {
  uint64_t result = 0;
  std::memcpy(&result, entropy.data(), std::min(sizeof result, entropy.size()));
  return result;
}

} // namespace

front_actor::front_actor(caf::actor_config& cfg, event_loop* loop, evaluator_options_ptr options)
    : loop_app_actor(cfg, loop), options_(std::move(options)),
      first_id_(number_of(options_->entropy)), last_own_id_(~first_id_) {}

caf::behavior front_actor::make_behavior() {
  options_->names->subscribe_names(caf::actor{this});
  find_own_node(); // the events come later, a request may come before
  return {
      [this](eval_request& request) { return on_request(request); },
      [this](eval_call& call) { return send_call(std::move(call)); },
      [this](eval_build_request& request) {
        return request.operation == "post" ? place_post(request) : place_query(request);
      },
      [this](const eval_started& call) {
        if (const auto found = attempts_.find(call.id); found != attempts_.end())
          found->second.started = true;
      },
      [this](const eval_cancel& gone) { on_cancel(first_id_ + gone.id); },
      [this](const json_request& request) { return on_json(request); },
      [this](const name_event& event) { on_name(event); },
  };
}

eval_reply front_actor::health() const {
  const auto& state = *options_->state;
  eval_reply result;
  result.body = R"({"status":")";
  result.body += state.draining ? "draining" : "ok";
  result.body += R"(","node":")" + options_->node + R"(","confinement":)" + state.confinement +
                 R"(,"workers":)" + std::to_string(state.workers) + R"(,"busy":)" +
                 std::to_string(state.busy) + R"(,"waiting":)" + std::to_string(state.waiting) +
                 R"(,"evaluators":[)";
  const char* comma = "";
  for (auto& [name, node] : nodes_) {
    result.body += comma + ('"' + name) + '"';
    comma = ",";
  }
  result.body += "]}";
  return result;
}

caf::result<eval_reply> front_actor::on_request(eval_request& request) {
  if (loop() && request.body.size() > loop_body_max)
    if (auto other = options_->names->where_is("evaluator.front." + options_->node)) {
      delegate(other, std::move(request));
      return caf::delegated<eval_reply>{};
    }
  const auto where = find_api_route(request.method, request.path);
  if (where.operation == what::health)
    return health();
  const auto who = options_->access.admit(request.token);
  if (!who) {
    auto answer = refusal(401, "a token is needed: Authorization: Bearer ...", "unauthorized");
    answer.fields.push_back({"WWW-Authenticate", "Bearer"});
    return answer;
  }
  if (where.operation == what::not_found)
    return refusal(404, "nothing is at " + request.path, "not_found");
  if (where.operation == what::method_not_allowed) {
    auto answer = refusal(405, "allowed are " + where.allow, "method_not_allowed");
    answer.fields.push_back({"Allow", where.allow});
    return answer;
  }
  if (request.method == "POST" && !request.content_type.empty() &&
      !is_json_type(request.content_type))
    return refusal(415, "the body has to be application/json", "unsupported_media_type");
  if (request.body.size() > limit::body_bytes_max)
    return refusal(413,
                   "the body has more than " + std::to_string(limit::body_bytes_max) + " bytes",
                   "too_large");
  milliseconds time{request.deadline_ms > 0 ? milliseconds{request.deadline_ms}
                                            : limit::duration_max};
  if (!request.request_timeout.empty()) {
    const auto wanted = parse_duration(request.request_timeout);
    if (!wanted)
      return malformed("Request-Timeout: " + describe(wanted.error()));
    time = std::min(time, *wanted);
  }
  request.id = request.id == 0 ? 0 : first_id_ + request.id;
  if (where.operation == what::call_function || where.operation == what::call_graph)
    return on_call_request(where, request, *who, time);
  return on_build_request(where, request, *who, time);
}

caf::result<eval_reply> front_actor::on_build_request(const api_route& where, eval_request& request,
                                                      const visitor& who, milliseconds time) {
  eval_build_request forward;
  forward.id = request.id;
  forward.build = where.build;
  forward.organisation = who.organisation;
  switch (where.operation) {
    case what::post_build: forward.operation = "post"; break;
    case what::list_builds: forward.operation = "list"; break;
    case what::get_log: forward.operation = "log"; break;
    case what::delete_build: forward.operation = "delete"; break;
    default: forward.operation = "get";
  }
  if (const auto offset = query_value(request.query, "offset");
      offset && where.operation == what::get_log) {
    const auto* end = offset->data() + offset->size();
    if (offset->empty() || std::from_chars(offset->data(), end, forward.offset).ptr != end)
      return malformed("offset: expected a number of bytes");
  }
  if (const auto wait = query_value(request.query, "wait");
      wait && (where.operation == what::post_build || where.operation == what::get_log)) {
    const auto wanted = parse_duration(*wait);
    if (!wanted)
      return malformed("wait: " + describe(wanted.error()));
    const auto longest = std::max(time - answer_margin, milliseconds{0});
    forward.wait_ms = static_cast<uint32_t>(std::min(*wanted, longest).count());
  }
  forward.body = std::move(request.body);
  return forward.operation == "post" ? place_post(forward) : place_query(forward);
}

caf::result<eval_reply> front_actor::on_call_request(const api_route& where, eval_request& request,
                                                     const visitor& who, milliseconds time) {
  auto read = read_envelope(request.body);
  if (auto why = std::get_if<std::string>(&read))
    return malformed(*why);
  auto& envelope = std::get<call_envelope>(read);
  auto tenant = organisation_of(who, envelope.organisation);
  if (!tenant)
    return refusal(403, "the token is of another organisation", "denied");
  eval_call call;
  call.id = request.id;
  call.build = where.build;
  call.kind = where.operation == what::call_function ? "function" : "graph";
  call.entry = where.entry;
  call.tenant = std::move(*tenant);
  call.visible_to = who.organisation;
  call.user = std::move(envelope.user);
  call.graph_id = std::move(envelope.graph_id);
  call.identity = std::move(envelope.identity);
  call.effects = std::move(envelope.effects);
  call.domains = std::move(envelope.domains);
  call.body = std::move(request.body);
  call.deadline_ms = static_cast<uint32_t>(time.count());
  return send_call(std::move(call));
}

/// Calls of graphs whose states are signed make a detour, and come back as they are.
caf::result<eval_reply> front_actor::send_call(eval_call call) {
  const auto is_signed = !options_->state_key.empty() && call.kind == "graph";
  if (!is_signed || current_sender() == signer_)
    return place_call(call);
  if (auto target = options_->names->where_is("evaluator.states." + options_->node)) {
    signer_ = caf::actor_cast<caf::strong_actor_ptr>(target);
    delegate(target, std::move(call));
    return caf::delegated<eval_reply>{};
  }
  return refusal(503, "no evaluator is reachable", "unavailable");
}

/// {"method", "path", "body"?, "query"?, "token"?} -> {"status", "body"}. The method may also be
/// the request's own: `GET` with params {"path"}.
caf::result<json_reply> front_actor::on_json(const json_request& request) {
  auto value = read_json(request.params, json_depth_max + envelope_depth_max);
  const auto* params = std::get_if<json>(&value);
  if (!params || (!params->if_object() && !params->is_null()))
    return caf::make_error(errc::invalid_argument, "params: expected {method, path, body}");
  eval_request forward;
  forward.method = member_text(*params, "method");
  if (forward.method.empty())
    forward.method = request.method;
  forward.path = member_text(*params, "path");
  forward.query = member_text(*params, "query");
  forward.token = member_text(*params, "token");
  if (const auto* body = params->find("body"))
    forward.body = to_text(*body);
  forward.deadline_ms = static_cast<uint32_t>(json_time.count());
  if (const auto mark = forward.path.find('?'); mark != std::string::npos) {
    forward.query = forward.path.substr(mark + 1);
    forward.path.resize(mark);
  }
  if (forward.path.empty()) {
    forward.path = "/health";
    forward.method = "GET";
  }
  auto promise = make_response_promise<caf::typed_response_promise<json_reply>>();
  ask(caf::actor{this}, json_time + 2 * answer_margin, std::move(forward))
      .then(
          [promise](eval_reply& reply) mutable {
            const auto is_json = reply.content_type == "application/json";
            std::string body;
            if (is_json)
              body = std::move(reply.body);
            else
              write_json_string(body, reply.body);
            promise.deliver(json_reply{R"({"status":)" + std::to_string(reply.status) +
                                       R"(,"body":)" + (body.empty() ? "null" : body) + '}'});
          },
          [promise](caf::error& why) mutable { promise.deliver(std::move(why)); });
  return promise;
}

} // namespace caf_app::eval
