#define CAF_SUITE restart_window
#include "caf_app/supervision/restart_window.hpp"

#include <algorithm>
#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;
using caf_app::restart_window;

const restart_window::clock::time_point start{1h}; // any origin will do

CAF_TEST(a restart exactly one period old still counts) {
  restart_window window{1, 5s};
  CAF_CHECK(window.admit(start));
  CAF_CHECK(!window.admit(start + 5s));
  CAF_CHECK(window.admit(start + 5s + 1ns));
}

CAF_TEST(an intensity of zero allows none) {
  restart_window window{0, 5s};
  CAF_CHECK(!window.admit(start));
  CAF_CHECK(!window.admit(start + 1h));
}

CAF_TEST(no period ever holds more restarts than the intensity) {
  std::mt19937 random{test_seed()};
  restart_window window{3, 100ms};
  std::deque<restart_window::clock::time_point> admitted;
  for (auto now = start; now < start + 1min; now += std::chrono::milliseconds{random() % 60}) {
    const auto recent =
        std::count_if(admitted.begin(), admitted.end(), [&](auto t) { return now - t <= 100ms; });
    CAF_REQUIRE_EQUAL(window.admit(now), recent < 3);
    if (recent < 3)
      admitted.push_back(now);
  }
}
