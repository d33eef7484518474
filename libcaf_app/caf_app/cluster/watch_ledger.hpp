// Watches that cross links. The watching side keeps who waits for what, so that each watch ends
// exactly once: by the target's down frame, by its node being given up, or by being taken back. A
// link that breaks and returns within its grace ends nothing; the watches are asked for again. The
// watched side keeps whom to tell.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// Both sides of the watches of one node.
class watch_ledger {
public:
  // -- as the watching side -----------------------------------------------------

  /// Watch `ref` waits for the end of `actor` on `node`. References are unique.
  /// @returns whether `node` has to be asked with a monitor frame: this is the first such watch
  bool watch(uint64_t ref, const member_id& node, uint64_t actor);

  /// Takes a watch back; unknown ones are ended already.
  /// @returns whether `node` has to be told with a demonitor frame, and which actor
  std::pair<bool, std::pair<member_id, uint64_t>> unwatch(uint64_t ref);

  /// `node` tells that `actor` has ended.
  /// @returns the watches that end
  std::vector<uint64_t> on_down(const member_id& node, uint64_t actor);

  /// `node` was given up.
  /// @returns the watches that end
  std::vector<uint64_t> lost(const member_id& node);

  /// @returns the actors of `node` to ask for again on a new link
  std::vector<uint64_t> watched_on(const member_id& node) const;

  // -- as the watched side ----------------------------------------------------

  /// `node` asks for the end of our `actor`.
  /// @returns whether it is the first to watch it
  bool on_monitor(const member_id& node, uint64_t actor);
  /// `node` takes that back.
  void on_demonitor(const member_id& node, uint64_t actor);

  /// Our `actor` has ended.
  /// @returns the nodes to tell
  std::vector<member_id> ended(uint64_t actor);

  /// `node` watches nothing any more. To be called when a link ends, too: the node asks again.
  void forget(const member_id& node);

  /// Watches that have not ended.
  size_t size() const noexcept { return refs_.size(); }

private:
  using target = std::pair<member_id, uint64_t>;

  std::map<uint64_t, target> refs_;
  std::map<target, std::set<uint64_t>> waiting_;
  std::map<uint64_t, std::set<member_id>> watchers_; // by our actor
};

} // namespace caf_app
