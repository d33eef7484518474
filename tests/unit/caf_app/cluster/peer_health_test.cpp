#define CAF_SUITE peer_health
#include "caf_app/cluster/peer_health.hpp"

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using caf_app::peer_health;
using caf_app::peer_verdict;

namespace {

const peer_health::clock::time_point start{1h};

} // namespace

CAF_TEST(a peer that nobody has met is suspect and then lost) {
  peer_health peer{{}, start};
  CAF_CHECK(peer.check(start) == peer_verdict::suspect);
  CAF_CHECK(peer.check(start + 4999ms) == peer_verdict::suspect);
  CAF_CHECK(peer.check(start + 5s) == peer_verdict::lost);
}

CAF_TEST(a closed link makes suspect at once and lost after the grace) {
  peer_health peer{{}, start};
  peer.link_up(start);
  CAF_CHECK(peer.check(start) == peer_verdict::reachable);
  peer.link_down(start + 100ms);
  CAF_CHECK(peer.check(start + 100ms) == peer_verdict::suspect);
  CAF_CHECK(peer.check(start + 2099ms) == peer_verdict::suspect);
  CAF_CHECK(peer.check(start + 2100ms) == peer_verdict::lost);
}

CAF_TEST(a link that returns within the grace was never lost) {
  peer_health peer{{}, start};
  peer.link_up(start);
  peer.link_down(start + 1s);
  peer.link_up(start + 2s);
  CAF_CHECK(peer.check(start + 3500ms) == peer_verdict::reachable);
}

CAF_TEST(silence on an open link makes suspect and then lost) {
  peer_health peer{{}, start};
  peer.link_up(start);
  CAF_CHECK(peer.check(start + 3s) == peer_verdict::reachable);
  CAF_CHECK(peer.check(start + 3700ms) == peer_verdict::suspect);
  CAF_CHECK(peer.check(start + 6s) == peer_verdict::lost);
}

CAF_TEST(a heartbeat after the loss changes nothing but a new link does) {
  peer_health peer{{}, start};
  peer.link_up(start);
  CAF_CHECK(peer.check(start + 6s) == peer_verdict::lost);
  peer.heartbeat(start + 6s);
  CAF_CHECK(peer.check(start + 6s) == peer_verdict::lost);
  peer.link_up(start + 7s);
  CAF_CHECK(peer.check(start + 7s) == peer_verdict::reachable);
}
