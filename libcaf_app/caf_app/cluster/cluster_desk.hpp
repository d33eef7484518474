// The cluster as the threads of a node see it, whatever becomes of the actor that runs it: what
// this node's actors want from it, and where publications go. A new life of the cluster layer finds
// here what the one before had been asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/cluster/channel_index.hpp"
#include "caf_app/cluster/link_context.hpp"
#include "caf_app/cluster/member_record.hpp"
#include "caf_app/registry/cluster_port.hpp"

namespace caf_app {

class cluster_node;

/// One line of `caf-ctl nodes`.
struct node_info {
  member_record record;
  std::string health; ///< "self", "reachable", "suspect", "lost", or "gone"
  bool linked = false;
  bool coordinator = false; ///< as this node believes
  uint64_t queued_bytes = 0;
  uint64_t pending_requests = 0;
};

/// What a node knows about its cluster.
struct cluster_view {
  std::string own;
  bool quorate = true;
  std::vector<node_info> nodes;
};

/// Thread safe; held by shared_ptr.
class cluster_desk final : public cluster_port, public std::enable_shared_from_this<cluster_desk> {
public:
  /// A desk without a node: wants are kept until one attaches.
  explicit cluster_desk(std::shared_ptr<link_context> context);

  // -- cluster_port -----------------------------------------------------------------

  void claim(const std::string& name, const caf::strong_actor_ptr& holder, claim_mode mode,
             claim_result done) override;
  void release(const std::string& name, caf::actor_id holder) override;
  void joined(const std::string& group, const caf::strong_actor_ptr& member) override;
  void left(const std::string& group, caf::actor_id member) override;
  size_t publish(const std::string& group, const caf::message& content) override;

  // -- for the rest of the node -------------------------------------------------------

  /// The node begins to leave: its names go to others. Then, when its work is done, leave().
  void announce_leaving();
  void leave();

  /// Whether everybody was told that the node has left, or nobody is there to be told.
  bool has_left() const;

  /// A copy of what was known when set_view() was called last.
  cluster_view view() const;

  /// Whether any other node had a link when the view was made.
  bool has_peers() const;

  // -- for cluster_node, on the loop ----------------------------------------------------

  /// `node` runs the cluster from now on: it is asked for everything that is wanted.
  void attach(const std::shared_ptr<cluster_node>& node);

  /// @returns the claimant of a name with this id, null if there is none
  caf::strong_actor_ptr claimant(const std::string& name, caf::actor_id holder) const;

  /// The cluster has answered a claim, or a name is lost.
  /// @returns whether the claim is over
  bool answered(const std::string& name, caf::actor_id holder, const caf::error& why);

  /// A name is free: who stands by for it wants it again.
  /// @returns those actors
  std::vector<caf::actor_id> standing_by(const std::string& name) const;
  /// The same for all names: name and actor.
  std::vector<std::pair<std::string, caf::actor_id>> standing_by() const;

  /// Where publications go from now on: the channels by group.
  void set_group_nodes(std::map<std::string, std::vector<peer_channel_ptr>> nodes);
  /// What view() tells from now on.
  void set_view(cluster_view view);
  /// has_left() is true from now on.
  void set_left();

private:
  struct claim_entry {
    caf::strong_actor_ptr holder;
    claim_mode mode = claim_mode::once;
    bool held = false;
    bool waits = false; ///< refused, stands by
    std::vector<claim_result> done;
  };

  using claim_key = std::pair<std::string, caf::actor_id>;
  using group_nodes = std::map<std::string, std::vector<peer_channel_ptr>>;

  void tell_node(std::function<void(cluster_node&)> what);

  std::shared_ptr<link_context> context_;
  mutable std::mutex mutex_;
  std::map<claim_key, claim_entry> claims_;
  std::set<std::pair<std::string, caf::actor_id>> members_;
  std::shared_ptr<const group_nodes> group_nodes_ = std::make_shared<group_nodes>();
  std::weak_ptr<cluster_node> node_;
  cluster_view view_;
  bool leaving_ = false;
  bool left_ = false;
};

} // namespace caf_app
