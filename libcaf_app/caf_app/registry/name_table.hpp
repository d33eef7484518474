// Names of actors, read by many threads at once: a look-up hashes the name, takes the spin lock of
// one of 64 shards, compares and copies a handle. Goal: 30 ns with 100 and with 10,000 names,
// whatever their scope. A name can have a holder in each scope; both are in one slot, so that one
// look-up finds either. Who may hold a name, and when it is freed, is up to the registry.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <caf/actor_control_block.hpp>

#include "caf_app/registry/spin_lock.hpp"

namespace caf_app {

/// Why is `name` not a valid name of an actor or a group? A valid one has 1 to 255 bytes
/// (limits::registry::name_bytes_max) of printable ASCII without blank and '/': paths of the
/// supervision tree have slashes, names have none.
/// @returns an empty text if it is valid
std::string why_invalid_name(std::string_view name);

/// For whom a holder has a name: for this node, or for the whole cluster.
enum class name_layer : uint8_t { node, cluster };

/// Thread safe.
class name_table {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// A line of list().
  struct entry {
    std::string name;
    caf::strong_actor_ptr holder;
    time_point since; ///< meaningless in the layer of the cluster
  };

  /// Gives a name of this node.
  /// @returns false if the name is taken
  bool insert(std::string_view name, caf::strong_actor_ptr holder, time_point since);

  /// Gives a name of the cluster, whoever has it: readers see one holder or the other.
  /// @returns the former holder, null if there was none; see erase()
  caf::strong_actor_ptr replace(std::string_view name, caf::strong_actor_ptr holder);

  /// @returns the holder for this node, else that for the cluster, null if there is none
  caf::strong_actor_ptr find(std::string_view name) const;

  /// @returns the holder in one layer, null if there is none
  caf::strong_actor_ptr find(std::string_view name, name_layer layer) const;

  /// Frees a name. The caller gets the last reference of the table, and must drop it without
  /// holding a lock that the end of an actor may want.
  /// @returns the former holder, null if there was none
  caf::strong_actor_ptr erase(std::string_view name, name_layer layer);

  /// @returns all entries of a layer that begin with `prefix`, sorted by name; each shard at its
  /// own time
  std::vector<entry> list(std::string_view prefix, name_layer layer) const;

private:
  /// One line of the cache while the name is short.
  struct alignas(64) slot {
    uint64_t hash = 0;
    std::array<caf::strong_actor_ptr, 2> holders; // by layer; both null: free
    std::string name;
    time_point since; // of the holder for this node

    bool used() const noexcept { return holders[0] || holders[1]; }
    caf::strong_actor_ptr& holder(name_layer layer) { return holders[static_cast<size_t>(layer)]; }
    const caf::strong_actor_ptr& holder(name_layer layer) const {
      return holders[static_cast<size_t>(layer)];
    }
  };
  static_assert(sizeof(slot) == 64);

  struct alignas(64) shard {
    mutable spin_lock lock;
    std::vector<slot> slots; // size is zero or a power of two, at most half full
    size_t used = 0;
  };

  static constexpr size_t npos = static_cast<size_t>(-1);

  static uint64_t hash_of(std::string_view name) noexcept;
  static size_t find(const shard& in, uint64_t hash, std::string_view name) noexcept;
  static slot& find_or_add(shard& in, uint64_t hash, std::string_view name);
  static slot& place(shard& in, slot&& x);
  static void grow(shard& in);
  static void free(shard& in, size_t hole);

  shard& shard_of(uint64_t hash) noexcept { return shards_[hash >> 58]; }
  const shard& shard_of(uint64_t hash) const noexcept { return shards_[hash >> 58]; }

  std::array<shard, 64> shards_;
};

} // namespace caf_app
