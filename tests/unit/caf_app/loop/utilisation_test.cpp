#define CAF_SUITE utilisation
#include "caf_app/loop/utilisation.hpp"

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using caf_app::utilisation;

namespace {

bool near(double a, double b) { return a > b - 1e-9 && a < b + 1e-9; }

} // namespace

CAF_TEST(it is the share of the time between two looks that was not waited) {
  utilisation meter;
  CAF_CHECK(near(meter.at(10s, 4s), 0.6));
  CAF_CHECK(near(meter.at(20s, 14s), 0.0));
  CAF_CHECK(near(meter.at(30s, 14s), 1.0));
}

CAF_TEST(looks less than a second apart see the same) {
  utilisation meter;
  CAF_CHECK(near(meter.at(10s, 5s), 0.5));
  CAF_CHECK(near(meter.at(11s - 1ns, 5s), 0.5));
  CAF_CHECK(near(meter.at(11s, 5s), 1.0));
}

CAF_TEST(a loop younger than a second is idle) {
  utilisation meter;
  CAF_CHECK(near(meter.at(0s, 0s), 0.0));
  CAF_CHECK(near(meter.at(500ms, 0s), 0.0));
}

CAF_TEST(clocks read at different moments do not leave the range) {
  utilisation meter;
  CAF_CHECK(near(meter.at(1s, 1s + 3us), 0.0));
  CAF_CHECK(near(meter.at(2s, 1s), 1.0));
}
