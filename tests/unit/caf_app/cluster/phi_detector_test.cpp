#define CAF_SUITE phi_detector
#include "caf_app/cluster/phi_detector.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;
using caf_app::phi_detector;

namespace {

const phi_detector::clock::time_point start{1h};

/// A detector after a minute of heartbeats every 500 ms; `now` is the time of the last one.
phi_detector steady(phi_detector::clock::time_point& now) {
  phi_detector detector{{}, start};
  for (now = start + 500ms; now < start + 1min; now += 500ms)
    detector.heartbeat(now);
  now -= 500ms;
  return detector;
}

} // namespace

CAF_TEST(a peer in rhythm is not suspicious) {
  phi_detector::clock::time_point now;
  auto detector = steady(now);
  CAF_CHECK(detector.phi(now) < 0.1);
  CAF_CHECK(detector.phi(now + 500ms) < 0.1);
}

CAF_TEST(a loop that is busy for two seconds is not mistaken for dead) {
  phi_detector::clock::time_point now;
  auto detector = steady(now);
  CAF_CHECK(detector.available(now + 2s));
  CAF_CHECK(detector.available(now + 3s));
}

CAF_TEST(a silent peer is found within six seconds and not within three) {
  phi_detector::clock::time_point now;
  auto detector = steady(now);
  CAF_CHECK(detector.available(now + 3500ms));
  CAF_CHECK(!detector.available(now + 4500ms));
}

CAF_TEST(a peer with a ragged rhythm is found within six seconds as well) {
  std::mt19937 random{test_seed()};
  phi_detector detector{{}, start};
  auto now = start;
  for (int i = 0; i < 1000; ++i) {
    now += std::chrono::milliseconds{100 + random() % 2000};
    detector.heartbeat(now);
    CAF_CHECK(detector.available(now + 2s));
  }
  CAF_CHECK(!detector.available(now + 6s));
}

CAF_TEST(a peer that never sends a heartbeat is found) {
  phi_detector detector{{}, start};
  CAF_CHECK(detector.available(start + 3s));
  CAF_CHECK(!detector.available(start + 5s));
}

CAF_TEST(one long pause does not hide the next one) {
  phi_detector::clock::time_point now;
  auto detector = steady(now);
  detector.heartbeat(now + 3s);
  CAF_CHECK(!detector.available(now + 3s + 5s));
}

CAF_TEST(suspicion never falls while the silence lasts) {
  phi_detector::clock::time_point now;
  auto detector = steady(now);
  double before = 0;
  for (auto pause = 0ms; pause < 20s; pause += 10ms) {
    const auto phi = detector.phi(now + pause);
    CAF_REQUIRE(phi >= before);
    before = phi;
  }
  CAF_CHECK(before <= 300);
}
