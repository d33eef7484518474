// Channels by CAF's node id: where handles of a node that is not the sender lead to.
#pragma once

#include <mutex>
#include <unordered_map>

#include "caf_app/cluster/peer_channel.hpp"

namespace caf_app {

/// Thread safe.
class channel_index {
public:
  /// A later life with the same node id, of a process that began its cluster layer anew, replaces
  /// the one before.
  void put(const peer_channel_ptr& channel) {
    const std::scoped_lock guard{mutex_};
    channels_[channel->node()] = channel;
  }

  /// Forgets `channel`, unless a later life has replaced it.
  void erase(const peer_channel_ptr& channel) {
    const std::scoped_lock guard{mutex_};
    if (const auto found = channels_.find(channel->node());
        found != channels_.end() && found->second == channel)
      channels_.erase(found);
  }

  /// @returns null for a node that was never heard of
  peer_channel_ptr find(const caf::node_id& node) const {
    const std::scoped_lock guard{mutex_};
    const auto found = channels_.find(node);
    return found == channels_.end() ? nullptr : found->second;
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<caf::node_id, peer_channel_ptr> channels_;
};

} // namespace caf_app
