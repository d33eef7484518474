#include "caf_app/cluster/peer_health.hpp"

namespace caf_app {

void peer_health::link_up(clock::time_point now) {
  detector_ = phi_detector{opts_.detector, now};
  linked_ = true;
  lost_ = false;
}

void peer_health::link_down(clock::time_point now) {
  if (!linked_)
    return;
  linked_ = false;
  lost_at_ = now + opts_.grace;
}

peer_verdict peer_health::check(clock::time_point now) {
  if (lost_)
    return peer_verdict::lost;
  lost_ = linked_ ? !detector_.available(now) : now >= lost_at_;
  if (lost_)
    return peer_verdict::lost;
  const bool fine = linked_ && detector_.phi(now) < opts_.suspicion;
  return fine ? peer_verdict::reachable : peer_verdict::suspect;
}

} // namespace caf_app
