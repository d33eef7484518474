// The watches that one actor holds: by reference, and by target. Pure: a target is an opaque key.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "caf_app/messages/registry.hpp"

namespace caf_app {

/// The watches of one actor; all operations are O(1).
class watch_table {
public:
  using target_key = const void*; ///< null: targets that had ended before

  /// Gets the end of the target; empty: the end is delivered as a message.
  using handler = std::function<void(const down&)>;

  /// A watch that was taken out.
  struct entry {
    uint64_t ref = 0;
    target_key target = nullptr;
    handler on_down;
  };

  /// @returns the reference of the new watch, never 0, not used again soon
  uint64_t add(target_key target, handler on_down);

  /// Takes a watch out; nothing if there is none.
  std::optional<entry> take(uint64_t ref);

  /// Takes the oldest watch of a target out; nothing if there is none.
  std::optional<entry> take_oldest(target_key target);

  /// @returns whether any watch has this target
  bool has_target(target_key target) const { return by_target_.count(target) != 0; }

  bool empty() const { return by_target_.empty(); }

  size_t size() const { return slots_.size() - free_.size(); }

  /// Forgets all watches, at the end of their actor.
  void clear();

private:
  static constexpr uint32_t none = UINT32_MAX;

  struct slot {
    uint32_t generation = 0; // counts the uses of the slot; half of the reference
    bool used = false;
    uint32_t older = none; // of the same target
    uint32_t newer = none;
    target_key target = nullptr;
    handler on_down;
  };

  struct chain {
    uint32_t oldest = none;
    uint32_t newest = none;
  };

  entry release(uint32_t index);

  std::vector<slot> slots_;
  std::vector<uint32_t> free_;
  std::unordered_map<target_key, chain> by_target_;
};

} // namespace caf_app
