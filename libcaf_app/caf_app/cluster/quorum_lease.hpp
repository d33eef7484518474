// Whether this node may speak for the cluster now. A peer's acknowledgement of one of our
// heartbeats is a lease from it: it counts for a fixed time after that heartbeat was *sent*. The
// peer, in turn, takes nobody for lost before that time is over, and supports another coordinator
// only when it is over. So of two nodes that both see a majority at the same moment, at most one
// can coordinate, whatever the network does; clocks have to run at the same speed, no more.
// (Leases as in Gray and Cheriton, 1989.)
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "caf_app/base/limits.hpp"
#include "caf_app/cluster/link_body.hpp"

namespace caf_app {

/// Who decides what the cluster is.
enum class quorum_mode : uint8_t {
  none,     ///< every node for itself; a split makes two clusters, a heal merges them
  majority, ///< more than half of the nodes of the file
};

/// The leases that the voters have given to one node.
class quorum_lease {
public:
  using clock = std::chrono::steady_clock;

  /// Who votes, and for how long an acknowledged heartbeat counts.
  struct options {
    quorum_mode mode = quorum_mode::majority;
    std::vector<std::string> voters; ///< the nodes of the file
    member_id own;
    clock::duration lease = limits::cluster::lease;
  };

  explicit quorum_lease(options opts) : opts_(std::move(opts)) {}

  /// Our heartbeat `sequence` leaves at `now`. Sequences rise.
  void sent(uint64_t sequence, clock::time_point now);

  /// `peer` has acknowledged our heartbeat `sequence` and told whom it supports.
  void acknowledged(const member_id& peer, uint64_t sequence, const member_id& supports);

  /// What `peer` has granted does not count any more.
  void forget(const member_id& peer) { granted_.erase(peer); }

  /// Whether a majority of the voters can hear us, as far as we can know. Always true without
  /// quorum.
  bool quorate(clock::time_point now) const;

  /// Whether a majority supports us as the coordinator.
  /// @param own_support whether we support ourselves
  bool supported(clock::time_point now, bool own_support) const;

  /// Whether the lease from `peer` runs.
  bool heard_by(const member_id& peer, clock::time_point now) const;

  /// Whether it is one of the nodes of the file.
  bool is_voter(const std::string& name) const;

  /// How many voters are more than half, this node included.
  size_t majority() const noexcept { return opts_.voters.size() / 2 + 1; }

  quorum_mode mode() const noexcept { return opts_.mode; }

private:
  struct grant {
    clock::time_point from;
    member_id supports;
  };

  template <class Predicate>
  size_t count(clock::time_point now, Predicate counts) const;

  options opts_;
  std::map<uint64_t, clock::time_point> sent_; // not yet acknowledged by all, or out of date
  std::map<member_id, grant> granted_;
};

} // namespace caf_app
