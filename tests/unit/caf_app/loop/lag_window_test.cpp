#define CAF_SUITE lag_window
#include "caf_app/loop/lag_window.hpp"

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using caf_app::lag_window;

namespace {

const lag_window::clock::time_point start{1h}; // any origin will do

} // namespace

CAF_TEST(a fresh window knows no lag) {
  lag_window window;
  CAF_CHECK(window.worst(start) == 0ns);
  CAF_CHECK(window.take() == 0ns);
}

CAF_TEST(the worst of a window is kept) {
  lag_window window;
  window.note(start, 3ms);
  window.note(start + 1s, 7ms);
  window.note(start + 2s, 5ms);
  CAF_CHECK(window.worst(start + 2s) == 7ms);
}

CAF_TEST(a lag is seen for at least one span and gone after two) {
  lag_window window;
  window.note(start, 1ms);
  window.note(start + lag_window::span - 1ns, 9ms);
  window.note(start + lag_window::span, 2ms);
  CAF_CHECK(window.worst(start + 2 * lag_window::span - 1ns) == 9ms);
  window.note(start + 2 * lag_window::span, 3ms);
  CAF_CHECK(window.worst(start + 2 * lag_window::span) == 3ms);
}

CAF_TEST(a loop that went to sleep has no lag any more) {
  lag_window window;
  window.note(start, 9ms);
  CAF_CHECK(window.worst(start + 2 * lag_window::span - 1ns) == 9ms);
  CAF_CHECK(window.worst(start + 2 * lag_window::span) == 0ns);
  window.note(start + 3 * lag_window::span, 1ms);
  CAF_CHECK(window.worst(start + 3 * lag_window::span) == 1ms);
}

CAF_TEST(taking the worst starts anew) {
  lag_window window;
  window.note(start, 4ms);
  window.note(start + 1h, 2ms);
  CAF_CHECK(window.untaken() == 4ms);
  CAF_CHECK(window.take() == 4ms);
  CAF_CHECK(window.take() == 0ns);
  CAF_CHECK(window.worst(start + 1h) == 2ms);
}
