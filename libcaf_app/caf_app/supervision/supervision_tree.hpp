// The tree of supervised actors as tools and the watchdog see it: every supervisor writes its
// children into it, any thread reads it without a message, even when actors hang. A path joins the
// ids from the root with slashes, for example `http/listener/edge-1:8080/loop-0/conn-17`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/actor_addr.hpp>

#include "caf_app/supervision/child_spec.hpp"

namespace caf_app {

/// How a child is.
enum class tree_state : uint8_t {
  starting,   ///< not started yet
  running,    ///< its actor lives, as far as its supervisor knows
  restarting, ///< it ended and will be started again
  stopping,   ///< it was told to end
  ended,      ///< it ended and stays so, but its spec is kept
  failed,     ///< it ignored `kill`: its handler does not return
};

/// The name of the enumerator.
std::string to_string(tree_state);

/// What is known about one child; a copy.
struct tree_entry {
  std::string path;
  child_kind kind = child_kind::worker;
  tree_state state = tree_state::starting;
  size_t depth = 0;        ///< number of slashes in the path
  size_t restarts = 0;     ///< since its supervisor started
  uint64_t actor_id = 0;   ///< of the last incarnation; 0: none yet
  caf::actor_addr address; ///< of the last incarnation; weak, null if there is none
  std::chrono::steady_clock::time_point started_at{}; ///< of the last incarnation
  std::string last_end; ///< why the last incarnation before this one ended; empty: none did
};

/// Thread safe.
class supervision_tree {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Never used again, so that a late change to a node that was replaced does nothing.
  using node_id = uint64_t;

  static constexpr node_id root = 0; ///< parent of the topmost supervisors

  /// An empty tree.
  supervision_tree();

  // -- for supervisors --------------------------------------------------------------

  /// Adds a node. One with the same id below the same parent, left by a hung incarnation, goes.
  node_id add(node_id parent, std::string_view id, child_kind kind);

  /// Records a start; the state is running then.
  void set_started(node_id node, const caf::actor_addr& actor, time_point now);

  /// Records a change that is neither a start nor an end.
  void set_state(node_id node, tree_state state);

  /// Records an end.
  /// @param reason as text; empty: normal
  void set_ended(node_id node, tree_state state, std::string reason);

  /// Records how often the child was started again.
  void set_restarts(node_id node, size_t restarts);

  /// Removes a node and all below it.
  void remove(node_id node);

  /// How much retire() removes.
  enum class retired : uint8_t { children_only, node_too };

  /// Removes what is below a node, and the node if so wanted, when its supervisor is done with it.
  /// What failed stays with the path to it, for the watchdog to show.
  void retire(node_id node, retired what);

  /// @returns whether `parent` has a child with this id
  bool has_child(node_id parent, std::string_view id) const;

  /// @returns the node of a path, nothing if there is none
  std::optional<node_id> find_node(std::string_view path) const;

  // -- for everybody ----------------------------------------------------------------

  /// @returns the entry of a path, nothing if there is none
  std::optional<tree_entry> find(std::string_view path) const;

  /// @returns the node of `path` and all below it, parents first, siblings in the order of their
  ///          starts; for an empty path the whole tree
  std::vector<tree_entry> list(std::string_view path = {}) const;

  /// One line per node for people: indented id, kind, state, actor id, restarts, age, last end.
  /// @param now for the age
  /// @param siblings_max more children of one parent are summed up in one line
  std::string to_text(time_point now, size_t siblings_max = 50) const;

  /// Number of nodes, the root not counted.
  size_t size() const;

private:
  struct text_hash {
    using is_transparent = void;
    size_t operator()(std::string_view x) const noexcept {
      return std::hash<std::string_view>{}(x);
    }
  };

  struct node {
    node_id parent = root;
    std::string id;
    tree_entry entry; // its path is made when it is read
    std::unordered_map<std::string, node_id, text_hash, std::equal_to<>> children;
  };

  void remove_locked(node_id id);
  bool retire_locked(node_id id, retired what);
  std::optional<node_id> find_locked(std::string_view path) const;
  tree_entry entry_of(const node& x) const;
  std::vector<node_id> children_of(const node& x) const;
  void list_locked(node_id id, std::vector<tree_entry>& result) const;
  void print_locked(node_id id, size_t depth, time_point now, size_t siblings_max,
                    std::string& result) const;

  mutable std::mutex mutex_;
  std::unordered_map<node_id, node> nodes_; // the root is always there
  node_id last_id_ = root;
};

/// @returns "parent/id", or "id" for an empty parent
std::string join_path(std::string_view parent, std::string_view id);

} // namespace caf_app
