#include "actors/http/eval_handler.hpp"

#include <algorithm>

#include <caf/send.hpp>

#include "actors/http/field.hpp"
#include "actors/http/loop_context.hpp"
#include "caf_app/messages/eval.hpp"

namespace caf_app::http {

namespace {

/// The evaluator keeps the deadline itself; this is for one that cannot answer at all.
constexpr std::chrono::seconds answer_grace{1};

/// A piece of a log that does not grow is waited for that long at a time.
constexpr std::chrono::milliseconds follow_time{10'000};

/// An announced length alone makes no more room than that.
constexpr uint64_t reserve_max = limits::mib;

constexpr std::string_view json_type = "application/json";

std::string error_body(std::string_view text, std::string_view code) {
  return R"({"error":")" + std::string{text} + R"(","code":")" + std::string{code} + R"("})";
}

std::string_view bearer_of(const field_list& fields) {
  constexpr std::string_view scheme = "bearer ";
  for (const auto& line : fields)
    if (equals_ignoring_case(line.name, "authorization") && line.value.size() > scheme.size() &&
        equals_ignoring_case(line.value.substr(0, scheme.size()), scheme))
      return trim_blanks(line.value.substr(scheme.size()));
  return {};
}

} // namespace

/// One request on its way. Destroyed early: cancelled.
class eval_handler::call final : public exchange_task {
public:
  call(const eval_handler& handler, exchange& open)
      : handler_(handler), open_(open), counters_(open.context().counters) {
    counters_->in_flight(wait_state::eval).add();
  }

  ~call() override {
    counters_->in_flight(wait_state::eval).sub();
    if (!done_ && front_)
      caf::anon_send(front_, eval_cancel{id_});
  }

  void on_body(std::span<const char> bytes) override {
    message.body.append(bytes.data(), bytes.size());
  }

  void on_body_end() override {
    id_ = message.id;
    if (message.method == "GET" && message.path.ends_with("/log"))
      log_request_ = std::make_unique<eval_request>(message); // asked again while it grows
    send(std::move(message), std::chrono::milliseconds{message.deadline_ms});
  }

  void on_room() override {
    if (std::exchange(waits_for_room_, false))
      follow();
  }

  eval_request message;

private:
  void send(eval_request request, std::chrono::milliseconds time) {
    front_ = handler_.names_->where_is("eval");
    if (!front_)
      return fail(503, error_body("no evaluator is reachable", "unavailable"));
    auto* owner = open_.owner();
    const auto id = open_.id();
    owner->ask(front_, time + answer_grace, std::move(request))
        .then([this, owner,
               id](eval_reply& reply) { owner->with_open(id, [&](exchange&) { answer(reply); }); },
              [this, owner, id](caf::error& why) {
                owner->with_open(id, [&](exchange&) { on_error(why); });
              });
  }

  void answer(eval_reply& reply) {
    if (log_request_ && reply.status == 200)
      return answer_log(reply);
    done_ = true;
    std::vector<field> fields;
    for (const auto& line : reply.fields)
      fields.push_back({line.name, line.value, find_known_field(line.name)});
    for (const auto& [name, value] : handler_.entry_.headers)
      fields.push_back({name, value, find_known_field(name)});
    open_.respond({reply.status, reply.content_type, fields, reply.body});
  }

  /// A whole log is one response; one that grows is streamed until its build ends.
  void answer_log(eval_reply& reply) {
    if (!streams_ && !reply.more) {
      log_request_.reset();
      return answer(reply);
    }
    if (!std::exchange(streams_, true))
      open_.begin({200, reply.content_type, {}, {}}, std::nullopt);
    offset_ += reply.body.size();
    if (!reply.body.empty())
      open_.write(reply.body);
    if (!reply.more) {
      done_ = true;
      open_.finish();
    } else if (open_.has_room()) {
      follow();
    } else {
      waits_for_room_ = true;
    }
  }

  void follow() {
    auto again = *log_request_;
    again.query =
        "offset=" + std::to_string(offset_) + "&wait=" + std::to_string(follow_time.count()) + "ms";
    again.deadline_ms = static_cast<uint32_t>(2 * follow_time.count());
    send(std::move(again), 2 * follow_time);
  }

  /// What was handed over may have run: nothing is repeated.
  void on_error(const caf::error& why) {
    switch (code_of(why)) {
      case errc::timed_out:
        return fail(504, error_body("the deadline passed", "deadline_exceeded"));
      case errc::noproc:
      case errc::draining:
      case errc::peer_congested:
      case errc::busy: return fail(503, error_body("no evaluator is reachable", "unavailable"));
      default:
        return fail(502,
                    error_body("the evaluator went away while the call ran", "evaluator_lost"));
    }
  }

  void fail(uint16_t status, const std::string& body) {
    done_ = true;
    if (streams_)
      return open_.abort();
    static constexpr field retry_after{"Retry-After", "1"};
    const auto later = status == 503;
    open_.respond({status, json_type, {&retry_after, later ? size_t{1} : 0}, body});
  }

  const eval_handler& handler_;
  exchange& open_;
  std::shared_ptr<const http_metrics> counters_;
  caf::actor front_;
  uint64_t id_ = 0;
  std::unique_ptr<eval_request> log_request_; // of a log that may grow
  uint64_t offset_ = 0;
  bool streams_ = false;
  bool waits_for_room_ = false;
  bool done_ = false;
};

std::string eval_handler::refusal_json(uint16_t status) const {
  switch (status) {
    case 408: return error_body("the request came too slowly", "request_timeout");
    case 413:
      return error_body("the body has more than " + std::to_string(entry_.config.max_body) +
                            " bytes",
                        "too_large");
    case 429: return error_body("too many requests", "rate_limited");
    case 503: return error_body("the server is overloaded", "unavailable");
    default:
      return error_body(status < 500 ? "the request is malformed" : "the server cannot do this",
                        "invalid_request");
  }
}

std::unique_ptr<exchange_task> eval_handler::start(exchange& open) const {
  static constexpr field retry_after{"Retry-After", "1"};
  if (open.context().overloaded) {
    open.refuse(fault::shed, {&retry_after, 1});
    return nullptr;
  }
  const auto& request = open.request();
  const auto& fields = *request.fields;
  auto task = std::make_unique<call>(*this, open);
  auto& message = task->message;
  message.id = open.id();
  message.method = request.method_text;
  message.path = request.below;
  message.query = request.query;
  message.content_type = fields.first(known_field::content_type);
  message.request_timeout = fields.first(known_field::request_timeout);
  message.token = bearer_of(fields);
  message.deadline_ms = static_cast<uint32_t>(entry_.config.timeout.count());
  if (request.content_length)
    message.body.reserve(static_cast<size_t>(std::min(*request.content_length, reserve_max)));
  return task;
}

} // namespace caf_app::http
