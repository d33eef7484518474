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

/// What arrives on the links of a node, on their loop: read, then handed to actors and groups.
class message_delivery {
public:
  /// Hands a publication to the members of a group on this node.
  using group_sink = std::function<void(const std::string& group, const caf::message& content)>;

  /// @param publish gets publications for this node
  message_delivery(std::shared_ptr<link_context> context, std::shared_ptr<channel_index> channels,
                   std::shared_ptr<watch_desk> watches, group_sink publish);

  /// While one exists, actors that get messages begin to work on them when it ends, or after
  /// messages_together_max: so a thread is woken once for all. One at a time.
  class batch {
  public:
    explicit batch(message_delivery& in);
    ~batch();
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

  private:
    message_delivery& in_;
  };

  /// @returns false if the head cannot be read: the peer does not speak our protocol. What is wrong
  /// with a message alone is answered and counted.
  bool on_message(const peer_channel_ptr& from, const frame_view& frame);
  bool on_error_reply(const peer_channel_ptr& from, std::string_view body);

private:
  static constexpr size_t messages_together_max = 32;

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
  size_t together_ = 0;
};

} // namespace caf_app
