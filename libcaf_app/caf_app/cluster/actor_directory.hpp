// Which actors of this node a peer may address: those that have a cluster name or are members of a
// group, and those that have written to it. Handles that travelled inside messages are in CAF's own
// registry. The table keeps nobody alive.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>

#include "caf_app/registry/spin_lock.hpp"

namespace caf_app {

/// Thread safe.
class actor_directory {
public:
  explicit actor_directory(caf::actor_system& system) : system_(system) {}

  /// From now on peers reach `actor`, of this node, until it ends.
  void expose(const caf::strong_actor_ptr& actor);

  /// @returns the actor with this id if peers may reach it and it has not been destroyed, else null
  caf::strong_actor_ptr find(caf::actor_id id) const;

  /// How many entries there are, those of dead actors that were not swept yet included.
  size_t size() const;

private:
  static constexpr size_t shards = 16;
  static constexpr size_t sweep_first = 64; // entries of a shard before its first sweep

  struct alignas(64) shard {
    mutable spin_lock lock;
    std::unordered_map<caf::actor_id, caf::weak_actor_ptr> actors;
    size_t sweep_at = sweep_first;
  };

  static void sweep(shard& in);

  caf::actor_system& system_;
  std::array<shard, shards> table_;
};

} // namespace caf_app
