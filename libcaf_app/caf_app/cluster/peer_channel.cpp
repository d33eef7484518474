// The part of a channel that sends; peer_channel_output.cpp has the part about the connection,
// peer_channel_actors.cpp that about handles.
#include "caf_app/cluster/peer_channel.hpp"

#include <algorithm>

#include <caf/message.hpp>
#include <caf/system_messages.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/wire_message.hpp"

namespace caf_app {

namespace {

constexpr size_t message_bytes_usual = 192; // one allocation for most

/// What waits for the first link: whatever it is, the peer accepts it.
constexpr size_t waiting_bytes_max = 32 * limits::kib;

uint32_t ms_left(std::optional<peer_channel::time_point> deadline, peer_channel::time_point now) {
  if (!deadline)
    return 0;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - now).count();
  return static_cast<uint32_t>(std::clamp<int64_t>(left, 1, UINT32_MAX));
}

peer_channel::asker asker_of(const caf::mailbox_element& what, caf::actor_id target) {
  return {caf::weak_actor_ptr{what.sender.get()}, what.mid, target};
}

} // namespace

peer_channel::peer_channel(std::shared_ptr<link_context> context, member_id peer, caf::node_id node)
    : context_(std::move(context)), peer_(std::move(peer)), node_(std::move(node)) {}

// -- sending --------------------------------------------------------------------------------

void peer_channel::send(const remote_handle& to, caf::mailbox_element_ptr what,
                        std::optional<time_point> deadline, caf::execution_unit* unit) {
  if (!usable())
    return refuse(*what, why_not_linked(), unit);
  if (what->mid.is_request() && to.getf(caf::abstract_actor::is_terminated_flag))
    return refuse(*what, caf::make_error(caf::sec::request_receiver_down), unit);
  if (what->mid.is_async() && !may_send_exit(to.id(), *what))
    return context_->counters.refused_messages.add();
  const auto now = context_->system.clock().now();
  std::string body;
  body.reserve(message_bytes_usual);
  if (auto err = write(to.id(), *what, deadline, now, body))
    return refuse(*what, std::move(err), unit);
  if (!what->mid.is_request() || !what->sender) {
    if (push_message(std::move(body), now))
      context_->counters.sends_dropped.add();
    return;
  }
  const pending_key key{what->sender->id(), what->mid.request_id().integer_value()};
  const auto relayed = what->sender->nid != context_->system.node();
  if (!relayed) {
    const std::scoped_lock guard{pending_mutex_};
    pending_.insert(key, asker_of(*what, to.id()), peer_, now, deadline);
  }
  if (!to.asked())
    monitor(to); // who asks hears at once when the actor ends
  auto err = push_message(std::move(body), now);
  if (!err)
    return;
  if (!relayed) {
    const std::scoped_lock guard{pending_mutex_};
    if (!pending_.forget(key))
      return; // close() has answered it
  }
  refuse(*what, std::move(err), unit);
}

caf::error peer_channel::write(caf::actor_id to, caf::mailbox_element& what,
                               std::optional<time_point> deadline, time_point now,
                               std::string& body) {
  message_head head{to, 0, what.mid.integer_value(), ms_left(deadline, now)};
  if (what.sender && what.sender->nid == context_->system.node()) {
    context_->exposed.expose(what.sender);
    head.sender = what.sender->id();
  } else if (what.sender && what.mid.is_request()) {
    head.sender = relay_request(what, head, deadline);
  }
  append_body(body, head);
  return write_message(context_->system.dummy_execution_unit(), what.content(), body);
}

// The asker is an actor of a third node, whose number means nothing to the peer: the answer comes
// to us and goes on from here.
caf::actor_id peer_channel::relay_request(caf::mailbox_element& what, message_head& head,
                                          std::optional<time_point> deadline) {
  const std::scoped_lock guard{pending_mutex_};
  const auto number = ++relayed_ & caf::message_id::request_id_mask;
  pending_.insert({relay_id, number}, asker_of(what, head.receiver), peer_,
                  context_->system.clock().now(), deadline);
  head.message_id = (head.message_id & ~caf::message_id::request_id_mask) | number;
  return relay_id;
}

caf::error peer_channel::push_message(std::string body, time_point now) {
  const auto size = body.size();
  push_verdict verdict{};
  auto step = next_step::none;
  {
    const std::scoped_lock guard{output_mutex_};
    if (!linked() && (state_ != state::fresh || size > waiting_bytes_max))
      return end_reason_ ? end_reason_ : caf::make_error(errc::link_lost, to_string(peer_));
    verdict = outbox_.push(frame_kind::message, 0, std::move(body));
    step = step_after(verdict, now);
  }
  if (step == next_step::write)
    write_now();
  else if (step != next_step::none)
    put_off(step);
  switch (verdict) {
    case push_verdict::first:
    case push_verdict::queued: context_->counters.messages_sent.add(); return caf::none;
    case push_verdict::too_long:
      return caf::make_error(errc::malformed_message, "a message of " + std::to_string(size) +
                                                          " bytes is longer than max_frame of " +
                                                          to_string(peer_));
    case push_verdict::congested:
    case push_verdict::overflow: break;
  }
  context_->counters.congested.add();
  return caf::make_error(errc::peer_congested, to_string(peer_));
}

bool peer_channel::push(frame_kind kind, uint8_t flags, std::string body) {
  push_verdict verdict{};
  bool cut = false;
  {
    const std::scoped_lock guard{output_mutex_};
    if (state_ != state::linked)
      return false;
    verdict = outbox_.push(kind, flags, std::move(body));
    if (std::exchange(put_off_, false) && verdict == push_verdict::queued)
      verdict = push_verdict::first; // it does not wait for the end of anybody's turn
  }
  const auto sent = verdict == push_verdict::first || verdict == push_verdict::queued;
  if (kind == frame_kind::message)
    sent ? context_->counters.messages_sent.add() : context_->counters.sends_dropped.add();
  else
    cut = !sent;
  if (verdict == push_verdict::first || cut)
    wake(cut);
  return sent;
}

void peer_channel::wake(bool cut) {
  if (context_->loop && linked()) // there is no loop any more when there are no links
    context_->loop->post([self = shared_from_this(), cut] {
      if (!cut)
        self->flush();
      else if (self->output_)
        self->output_->overflow();
    });
}

void peer_channel::refuse(caf::mailbox_element& what, caf::error why, caf::execution_unit* unit) {
  if (what.mid.is_request() && what.sender)
    what.sender->enqueue(caf::make_mailbox_element(nullptr, what.mid.response_id(), {},
                                                   caf::make_message(std::move(why))),
                         unit);
  else
    context_->counters.sends_dropped.add();
}

caf::error peer_channel::why_not_linked() const {
  const std::scoped_lock guard{output_mutex_};
  return end_reason_ ? end_reason_ : caf::make_error(errc::link_lost, to_string(peer_));
}

// A message that ends its receiver crosses a link only as the end of an actor that is linked to it.
bool peer_channel::may_send_exit(caf::actor_id to, const caf::mailbox_element& what) {
  if (!what.content().match_elements<caf::exit_msg>())
    return true;
  const auto& exit = what.content().get_as<caf::exit_msg>(0);
  const std::scoped_lock guard{actors_mutex_};
  return links_.erase({exit.source ? exit.source.id() : 0, to}) != 0;
}

// -- requests -----------------------------------------------------------------------------------

std::optional<peer_channel::asker> peer_channel::take_asker(caf::actor_id receiver,
                                                            caf::message_id id) {
  const std::scoped_lock guard{pending_mutex_};
  auto found = pending_.take({receiver, id.request_id().integer_value()});
  if (!found)
    context_->counters.late_replies.add();
  return found;
}

void peer_channel::expire(time_point now) {
  const std::scoped_lock guard{pending_mutex_};
  pending_.expire(now);
}

size_t peer_channel::pending() const {
  const std::scoped_lock guard{pending_mutex_};
  return pending_.size();
}

} // namespace caf_app
