// The part of a link that says which frame goes where.
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/error_codec.hpp"
#include "caf_app/cluster/link_actor.hpp"

namespace caf_app {

void link_actor::read_frames(link_host& host) {
  const message_delivery::batch together{host.delivery()};
  bool messages = false;
  while (channel_ && !closing_) {
    const auto frame = reader_->next();
    if (!frame)
      break;
    messages = messages || frame->kind == frame_kind::message;
    if (!on_frame(host, *frame) && channel_)
      return end_link("protocol error: " + to_string(frame->kind));
  }
  if (messages)
    loop()->expect_soon(expectation::request);
  if (channel_ && reader_->fault() != frame_fault::none)
    end_link("protocol error: " + to_string(reader_->fault()));
}

bool link_actor::on_frame(link_host& host, const frame_view& frame) {
  const auto channel = channel_; // a frame may end the link
  switch (frame.kind) {
    case frame_kind::message: return host.delivery().on_message(channel, frame);
    case frame_kind::error_reply: return host.delivery().on_error_reply(channel, frame.body);
    case frame_kind::heartbeat:
    case frame_kind::gossip:
    case frame_kind::names:
    case frame_kind::groups: return host.on_frame(channel->peer(), frame.kind, frame.body);
    case frame_kind::monitor:
    case frame_kind::demonitor: return on_watch(host, frame);
    case frame_kind::down: {
      const auto body = read_body<down_body>(frame.body);
      if (body)
        channel->on_down(body->actor, from_wire(body->reason));
      return body.has_value();
    }
    case frame_kind::refused: {
      const auto body = read_body<refused_body>(frame.body).value_or(refused_body{});
      host.no_link(start_.expected_peer, start_.address, body, true);
      end_link("refused: " + to_string(body.why) + ": " + body.text);
      return true;
    }
    case frame_kind::goodbye: end_link("the peer leaves"); return true;
    case frame_kind::hello:
    case frame_kind::auth:
    case frame_kind::chunk: break;
  }
  return false;
}

bool link_actor::on_watch(link_host& host, const frame_view& frame) {
  auto& watches = host.watches();
  const auto starts = frame.kind == frame_kind::monitor;
  if ((frame.flags & link_flag) != 0) {
    const auto body = read_body<link_body>(frame.body);
    if (!body)
      return false;
    starts ? watches.on_link(channel_, body->actor, body->source)
           : watches.on_unlink(channel_, body->actor, body->source);
    return true;
  }
  const auto body = read_body<actor_body>(frame.body);
  if (!body)
    return false;
  starts ? watches.on_monitor(channel_, body->actor) : watches.on_demonitor(channel_, body->actor);
  return true;
}

} // namespace caf_app
