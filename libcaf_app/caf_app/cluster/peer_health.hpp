// What this node thinks of one other node, from its own link to it.
//
//             heartbeat, link_up
//           +------------------+
//           v                  |
//   link_up reachable --closed or phi above 1--> suspect --grace over or phi above 8--> lost
//           ^                                                                          |
//           +------------------------------- link_up ----------------------------------+
//
// give_up() makes it lost from either of the two.
//
// A peer that was heard of but never linked is suspect: its grace is as long as a silent peer's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "caf_app/cluster/phi_detector.hpp"

namespace caf_app {

/// How a peer is, as this node sees it.
enum class peer_verdict : uint8_t { reachable, suspect, lost };

/// Whether one peer is reachable, suspect or lost. `now` never runs backwards.
class peer_health {
public:
  using clock = phi_detector::clock;

  /// How patient it is; `first_contact` is for peers that were never linked.
  struct options {
    phi_detector::options detector;
    clock::duration grace = limits::cluster::reconnect_grace;
    clock::duration first_contact = limits::cluster::connect_timeout;
    double suspicion = 1; ///< phi of a suspect
  };

  peer_health(const options& opts, clock::time_point now)
      : opts_(opts), detector_(opts.detector, now), lost_at_(now + opts.first_contact) {}

  /// A link has come up, or has ended: then the grace begins.
  void link_up(clock::time_point now);
  void link_down(clock::time_point now);
  void heartbeat(clock::time_point now) { detector_.heartbeat(now); }
  /// It is known to have ended: lost without any grace.
  void give_up() { lost_ = true; }

  bool linked() const noexcept { return linked_; }

  /// Lost is final until link_up().
  peer_verdict check(clock::time_point now);

private:
  options opts_;
  phi_detector detector_;
  bool linked_ = false;
  bool lost_ = false;
  clock::time_point lost_at_; // while not linked
};

} // namespace caf_app
