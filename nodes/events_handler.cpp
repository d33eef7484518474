#include "nodes/events_handler.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "actors/http/actor_call.hpp"
#include "actors/http/connection_base.hpp"
#include "caf_app/messages/http.hpp"
#include "nodes/admin_json.hpp"
#include "nodes/event_text.hpp"
#include "nodes/web_digest.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::seconds period{1};
constexpr std::chrono::seconds look_time{10};

struct topic {
  std::string_view name;
  const char* method;
  const char* path;
  const char* body;
};

constexpr std::array<topic, 10> topics{{
    {"status", "GET", "/v1/status", ""},
    {"nodes", "GET", "/v1/nodes", ""},
    {"names", "GET", "/v1/names", ""},
    {"groups", "GET", "/v1/groups", ""},
    {"tree", "GET", "/v1/tree", ""},
    {"scaler", "GET", "/v1/scaler", ""},
    {"decisions", "GET", "/v1/decisions", ""},
    {"eval", "GET", "/v1/eval", ""},
    {"builds", "POST", "/v1/ask",
     R"({"name":"eval","body":{"method":"GET","params":{"path":"/builds"}}})"},
    {"web", "GET", "/metrics", ""},
}};
constexpr size_t first_topic = 0; // its refusal is the answer

constexpr http::field no_store{"Cache-Control", "no-store"};

} // namespace

/// One client. Destroyed when it has gone.
class events_handler::stream final : public http::exchange_task {
public:
  stream(const events_handler& handler, http::exchange& open)
      : handler_(handler), open_(open), owner_(*open.owner()), id_(open.id()),
        query_(open.request().query), fields_(http::copy_fields(*open.request().fields)),
        peer_(open.peer()), next_([this] { begin_round(); }) {
    std::erase_if(fields_, [](const auto& x) { return x.name != "authorization"; });
    fields_.push_back({"content-type", "application/json"});
  }

  ~stream() override { --handler_.streams_; }

  void on_body(std::span<const char>) override {}

  void on_body_end() override {
    if (!ask(first_topic))
      open_.respond_status(503);
  }

private:
  void begin_round() {
    owner_.loop()->timers().arm(next_, owner_.loop()->now() + period);
    if (!open_.has_room())
      return; // the client reads slowly: it gets the next round
    for (size_t i = 0; i < topics.size(); ++i)
      if (!asked_[i])
        ask(i);
  }

  /// @returns whether there is somebody to ask
  bool ask(size_t which) {
    const auto target = handler_.options_.names->where_is(handler_.options_.admin);
    if (!target)
      return false;
    const auto& what = topics[which];
    http_request request;
    request.id = id_;
    request.method = what.method;
    request.target = request.path = what.path;
    request.query = query_;
    request.fields = fields_;
    request.body = what.body;
    request.peer = peer_;
    asked_[which] = true;
    // While the exchange is open this task exists.
    owner_.ask(target, look_time, std::move(request))
        .then(
            [this, owner = &owner_, id = id_, which](http_response& reply) {
              owner->with_open(id, [&](http::exchange& open) { answer(open, which, reply); });
            },
            [this, owner = &owner_, id = id_, which](caf::error& why) {
              owner->with_open(id, [&](http::exchange& open) {
                http_response reply{503, {}, error_json(describe(why), "unreachable")};
                answer(open, which, reply);
              });
            });
    return true;
  }

  void answer(http::exchange& open, size_t which, http_response& reply) {
    asked_[which] = false;
    if (!begun_) {
      if (reply.status != 200)
        return open.respond({reply.status, "application/json", {}, reply.body});
      begun_ = true;
      open.begin({200, "text/event-stream", {&no_store, 1}, {}}, std::nullopt);
      begin_round(); // the others
    }
    tell(open, which, reply);
  }

  void tell(http::exchange& open, size_t which, http_response& reply) {
    const auto name = topics[which].name;
    if (reply.status == 404 && which != first_topic)
      reply.body = "null";
    else if (reply.status == 200 && name == "web")
      reply.body = to_json(digest_metrics(reply.body), now_ms());
    const auto mark = std::hash<std::string>{}(reply.body);
    if (sent_[which] == mark)
      return;
    sent_[which] = mark;
    if (name == "decisions")
      reply.body = tail_of(reply.body, decisions_max);
    if (reply.body.size() > event_bytes_max)
      reply.body = error_json("more than the dashboard shows", "too_large");
    open.write(event_text(name, reply.body));
  }

  int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               owner_.loop()->now().time_since_epoch())
        .count();
  }

  const events_handler& handler_;
  http::exchange& open_;
  http::connection_base& owner_;
  uint64_t id_;
  std::string query_;
  std::vector<http_field> fields_; // what the admin actor has to know of the request
  std::string peer_;
  wheel_timer next_;
  std::array<bool, topics.size()> asked_{};
  std::array<size_t, topics.size()> sent_{}; // hashes
  bool begun_ = false;
};

std::unique_ptr<http::exchange_task> events_handler::start(http::exchange& open) const {
  if (++streams_ > streams_max) {
    --streams_;
    open.respond_status(503);
    return nullptr;
  }
  return std::make_unique<stream>(*this, open);
}

} // namespace caf_app
