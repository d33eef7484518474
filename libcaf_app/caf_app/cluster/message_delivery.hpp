// From the body of a message frame into mailboxes. Runs on the loop of the links.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/execution_unit.hpp>
#include <caf/proxy_registry.hpp>

#include "caf_app/cluster/channel_index.hpp"
#include "caf_app/cluster/watch_desk.hpp"

namespace caf_app {

class message_delivery {
public:
  /// Hands a publication to the members of a group on this node.
  using group_sink = std::function<void(const std::string& group, const caf::message& content)>;

  message_delivery(std::shared_ptr<link_context> context, std::shared_ptr<channel_index> channels,
                   std::shared_ptr<watch_desk> watches, group_sink publish);

  /// @returns false if the head cannot be read: the peer does not speak our protocol. What is wrong
  /// with a message alone is answered and counted.
  bool on_message(const peer_channel_ptr& from, const frame_view& frame);
  bool on_error_reply(const peer_channel_ptr& from, std::string_view body);

private:
  class unit;

  caf::expected<caf::message> read(std::string_view bytes);
  void respond(const peer_channel_ptr& from, const message_head& head, caf::message content);
  void deliver(const peer_channel_ptr& from, const message_head& head, caf::message content);
  void reject(const peer_channel_ptr& from, const message_head& head, const caf::error& why);
  bool allowed(const peer_channel_ptr& from, const message_head& head, const caf::message& content);

  std::shared_ptr<link_context> context_;
  std::shared_ptr<channel_index> channels_;
  std::shared_ptr<watch_desk> watches_;
  group_sink publish_;
  std::shared_ptr<unit> unit_;
};

} // namespace caf_app
