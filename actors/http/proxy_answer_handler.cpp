// The response side of a proxy_task: heads, the content that follows, tunnels, and the connection's
// way back into stock.
#include "actors/http/proxy_task_handler.hpp"

namespace caf_app::http {

void proxy_task::receive(std::span<const char> bytes) {
  if (tunnel_)
    return tunnel_bytes(bytes);
  if (now_in() == stage::answering)
    return stream(bytes);
  while (!bytes.empty())
    if (!read_head(bytes))
      return;
}

// One head, interim or final. @returns whether another one may follow in `bytes`
bool proxy_task::read_head(std::span<const char>& bytes) {
  const auto [used, event] = parser_.feed(bytes);
  bytes = bytes.subspan(used);
  if (event == response_event::need_more)
    return false;
  const auto status = parser_.response().status;
  if (event == response_event::head && status == 101 && grants(parser_.response(), wish_)) {
    begin_tunnel(bytes);
    return false;
  }
  if (event == response_event::error || status == 101 ||
      (status < 200 && ++interims_ > limits::http::interim_responses)) {
    explain(event == response_event::error ? parser_.what() : "an unexpected 1xx");
    fail(502, outcome::bad_response);
    return false;
  }
  if (status >= 200) {
    answer(bytes);
    return false;
  }
  pass_interim();
  parser_.next();
  return true;
}

void proxy_task::pass_interim() {
  const auto status = parser_.response().status;
  if (status == 100) {
    patience_.reset();
    return open_.invite(); // if nobody has invited yet
  }
  proxy_response_fields fields{parser_.response()};
  open_.inform(status, fields.lines());
}

void proxy_task::begin_tunnel(std::span<const char> bytes) {
  const auto alive = std::weak_ptr<bool>{alive_};
  proxy_response_fields fields{parser_.response()};
  fields.lines().push_back({"Upgrade", wish_.protocol, known_field::upgrade});
  answering();
  leave_books();
  tunnel_ = true;
  active_ = now_;
  set_deadline(limits::http::tunnel_idle);
  open_.tunnel(fields.lines()); // what the client has sent already comes back by on_body()
  if (!alive.expired() && now_in() == stage::answering && !bytes.empty())
    tunnel_bytes(bytes);
}

void proxy_task::tunnel_bytes(std::span<const char> bytes) {
  active_ = now_;
  const auto alive = std::weak_ptr<bool>{alive_};
  open_.write({bytes.data(), bytes.size()});
  if (!alive.expired())
    wait_for_room();
}

void proxy_task::wait_for_room() {
  if (link() && !open_.has_room())
    link()->pause();
}

void proxy_task::answer(std::span<const char> bytes) {
  const auto& head = parser_.response();
  proxy_response_fields owned{head};
  auto& fields = owned.lines();
  add_missing(fields, entry_.headers);
  body_ = h1_response_body{head};
  answering();
  response answered{head.status, {}, fields, {}, response_source::origin};
  if (answer_whole(answered, bytes))
    return;
  const auto known = head.framing == response_framing::length ||
                     (head.framing == response_framing::none && head.has_length);
  const auto length = known ? std::optional{head.content_length} : std::nullopt;
  set_deadline(plan().config.read_timeout);
  const auto alive = std::weak_ptr<bool>{alive_};
  const auto step = body_.feed(bytes); // what is there goes in one piece with the head
  answered.body = {step.data.data(), step.data.size()};
  open_.begin(answered, length);
  if (alive.expired() || now_in() == stage::over)
    return;
  switch (step.event) {
    case h1_body_event::need_more: return;
    case h1_body_event::data: return stream(bytes.subspan(step.consumed));
    case h1_body_event::done: return finish(is_reusable(bytes.subspan(step.consumed)));
    case h1_body_event::error: return cut(outcome::bad_response);
  }
}

// Most answers come in one piece: then one write does.
bool proxy_task::answer_whole(const response& head, std::span<const char> bytes) {
  const auto& from = parser_.response();
  if (from.framing != response_framing::length || from.content_length > bytes.size())
    return false;
  auto whole = head;
  whole.body = {bytes.data(), static_cast<size_t>(from.content_length)};
  const auto reusable = is_reusable(bytes.subspan(whole.body.size()));
  auto link = end(outcome::ok);
  if (reusable) // first, as in finish()
    pool()->keep(std::move(link));
  open_.respond(whole); // and this is gone
  return true;
}

void proxy_task::stream(std::span<const char> bytes) {
  const auto alive = std::weak_ptr<bool>{alive_};
  for (;;) {
    const auto step = body_.feed(bytes);
    bytes = bytes.subspan(step.consumed);
    switch (step.event) {
      case h1_body_event::need_more:
        set_deadline(plan().config.read_timeout);
        return wait_for_room();
      case h1_body_event::data:
        open_.write({step.data.data(), step.data.size()});
        if (alive.expired() || now_in() == stage::over)
          return;
        break;
      case h1_body_event::done: return finish(is_reusable(bytes));
      case h1_body_event::error: return cut(outcome::bad_response);
    }
  }
}

} // namespace caf_app::http
