// A handle of an actor on another node: CAF's actor_proxy over a link of ours. Sending serializes
// in the sender's thread. It ends when its actor does, or when its node is given up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include <caf/actor_proxy.hpp>
#include <caf/mailbox_element.hpp>

#include "caf_app/registry/deadline_receiver.hpp"

namespace caf_app {

class peer_channel;

/// Made by peer_channel::proxy(): one per actor and channel.
class remote_handle final : public caf::actor_proxy, public deadline_receiver {
public:
  /// @param channel leads to the node of the actor
  remote_handle(caf::actor_config& config, std::shared_ptr<peer_channel> channel);
  ~remote_handle() override;

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* unit) override;
  void enqueue(caf::strong_actor_ptr sender, caf::message_id id, caf::message content,
               caf::execution_unit* unit) override;
  void enqueue_until(caf::mailbox_element_ptr what, caf::execution_unit* unit,
                     std::chrono::steady_clock::time_point deadline) override;

  /// The first one asks the node for the end of the actor.
  void attach(caf::attachable_ptr ptr) override;
  size_t detach(const caf::attachable::token& what) override;
  bool add_backlink(caf::abstract_actor* other) override;
  bool remove_backlink(caf::abstract_actor* other) override;

  /// CAF calls it when a registry of proxies goes, which ours do with each frame.
  void kill_proxy(caf::execution_unit*, caf::error) override {}

  const char* name() const override { return "remote"; }

  /// Whether it was asked before; true from the second call on. Then it stays watched.
  bool asked() const noexcept {
    return asked_.load(std::memory_order_relaxed) || asked_.exchange(true);
  }
  /// Whether asked() was called before.
  bool was_asked() const noexcept { return asked_; }

  /// How often somebody began to watch it, so far.
  uint64_t attaches() const noexcept { return attaches_; }

private:
  std::shared_ptr<peer_channel> channel_;
  std::atomic<uint64_t> attaches_{0};
  mutable std::atomic<bool> asked_{false};
};

} // namespace caf_app
