#include "caf_app/cluster/message_delivery.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <caf/actor_cast.hpp>
#include <caf/system_messages.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/error_codec.hpp"
#include "caf_app/cluster/wire_message.hpp"
#include "caf_app/registry/dated_element.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

/// The context of decoding, which answers for handles of other nodes, and of the actors that get
/// what was decoded.
class message_delivery::unit final : public caf::execution_unit,
                                     public caf::proxy_registry::backend {
public:
  unit(link_context& context, std::shared_ptr<channel_index> channels)
      : caf::execution_unit(&context.system), context_(context), channels_(std::move(channels)) {}

  ~unit() override { release(); }

  void exec_later(caf::resumable* job) override {
    if (holds_)
      return held_.push_back(job);
    if (context_.loop)
      context_.loop->exec_later(job);
    else
      system().dummy_execution_unit()->exec_later(job);
  }

  void hold() { holds_ = true; }

  /// Actors that have got messages begin.
  void release() {
    holds_ = false;
    forget_proxies();
    for (auto* job : std::exchange(held_, {}))
      exec_later(job);
  }

  bool holds() const noexcept { return holds_; }

  /// Before a message is read. CAF's registry of proxies holds every proxy: one for a few messages
  /// lets them go again.
  void need_proxies() {
    if (!proxies_)
      proxy_registry_ptr(&proxies_.emplace(system(), *this));
  }

  void forget_proxies() {
    proxy_registry_ptr(nullptr);
    proxies_.reset();
  }

  caf::strong_actor_ptr make_proxy(caf::node_id node, caf::actor_id id) override {
    const auto channel = channels_->find(node);
    return channel ? channel->proxy(id) : nullptr;
  }

  void set_last_hop(caf::node_id*) override {}

private:
  link_context& context_;
  std::shared_ptr<channel_index> channels_;
  std::optional<caf::proxy_registry> proxies_;
  std::vector<caf::resumable*> held_;
  bool holds_ = false;
};

message_delivery::batch::batch(message_delivery& in) : in_(in) { in_.unit_->hold(); }

message_delivery::batch::~batch() { in_.unit_->release(); }

message_delivery::message_delivery(std::shared_ptr<link_context> context,
                                   std::shared_ptr<channel_index> channels,
                                   std::shared_ptr<watch_desk> watches, group_sink publish)
    : context_(std::move(context)), channels_(std::move(channels)), watches_(std::move(watches)),
      publish_(std::move(publish)), unit_(std::make_shared<unit>(*context_, channels_)) {}

caf::expected<caf::message> message_delivery::read(std::string_view bytes) {
  unit_->need_proxies();
  auto content = read_message(unit_.get(), bytes);
  if (!unit_->holds())
    unit_->forget_proxies();
  if (!content)
    context_->counters.malformed.add();
  return content;
}

bool message_delivery::on_message(const peer_channel_ptr& from, const frame_view& frame) {
  if (unit_->holds() && ++together_ % messages_together_max == 0) {
    unit_->release();
    unit_->hold();
  }
  auto rest = frame.body;
  if ((frame.flags & to_group_flag) != 0) {
    const auto head = take_body<publish_head>(rest);
    if (!head)
      return false;
    if (auto content = read(rest)) {
      context_->counters.messages_received.add();
      publish_(head->group, *content);
    }
    return true;
  }
  const auto head = take_body<message_head>(rest);
  if (!head)
    return false;
  auto content = read(rest);
  if (caf::message_id{head->message_id}.is_response())
    respond(from, *head, content ? std::move(*content) : caf::make_message(content.error()));
  else if (!content)
    reject(from, *head, content.error());
  else
    deliver(from, *head, std::move(*content));
  return true;
}

void message_delivery::respond(const peer_channel_ptr& from, const message_head& head,
                               caf::message content) {
  const auto asker = from->take_asker(head.receiver, caf::message_id{head.message_id});
  if (!asker)
    return;
  context_->counters.messages_received.add();
  if (auto who = caf::actor_cast<caf::strong_actor_ptr>(asker->who))
    who->enqueue(caf::make_mailbox_element(head.sender != 0 ? from->proxy(head.sender) : nullptr,
                                           asker->id.response_id(), {}, std::move(content)),
                 unit_.get());
}

void message_delivery::deliver(const peer_channel_ptr& from, const message_head& head,
                               caf::message content) {
  const auto receiver = context_->exposed.find(head.receiver);
  if (!receiver || has_ended(*receiver->get()))
    return reject(from, head, why_unusable(receiver ? receiver->get() : nullptr));
  if (!allowed(from, head, content))
    return reject(from, head, caf::make_error(errc::denied, std::string{"not over a link"}));
  context_->counters.messages_received.add();
  auto sender = head.sender != 0 ? from->proxy(head.sender) : nullptr;
  const caf::message_id id{head.message_id};
  if (head.deadline_ms != 0 && id.is_request() && !content.empty())
    receiver->enqueue(make_dated_element(std::move(sender), id, std::move(content),
                                         context_->system.clock().now() +
                                             std::chrono::milliseconds{head.deadline_ms}),
                      unit_.get());
  else
    receiver->enqueue(caf::make_mailbox_element(std::move(sender), id, {}, std::move(content)),
                      unit_.get());
}

// An exit message ends its receiver, so it is believed only from an actor that is linked to it;
// ends of watched actors are told by down frames, never by messages.
bool message_delivery::allowed(const peer_channel_ptr& from, const message_head& head,
                               const caf::message& content) {
  if (content.match_elements<caf::down_msg>())
    return false;
  if (!content.match_elements<caf::exit_msg>())
    return true;
  const auto& exit = content.get_as<caf::exit_msg>(0);
  return exit.source && exit.source.node() == from->node() &&
         watches_->take_link(from, head.receiver, exit.source.id());
}

void message_delivery::reject(const peer_channel_ptr& from, const message_head& head,
                              const caf::error& why) {
  const caf::message_id id{head.message_id};
  if (id.is_request() && head.sender != 0)
    from->push(
        frame_kind::error_reply, 0,
        body_bytes(error_reply_body{head.sender, id.response_id().integer_value(), to_wire(why)}));
  else
    context_->counters.refused_messages.add();
}

bool message_delivery::on_error_reply(const peer_channel_ptr& from, std::string_view body) {
  const auto reply = read_body<error_reply_body>(body);
  if (!reply)
    return false;
  auto why = from_wire(reply->reason);
  if (!why)
    return false;
  respond(from, {reply->receiver, 0, reply->message_id, 0}, caf::make_message(std::move(why)));
  return true;
}

} // namespace caf_app
