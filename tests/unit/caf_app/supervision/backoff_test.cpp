#define CAF_SUITE backoff
#include "caf_app/supervision/backoff.hpp"

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using caf_app::backoff;
using caf_app::backoff_options;

CAF_TEST(delays double from first to max) {
  backoff testee{{100ms, 1s, 0, 1, false}};
  const std::chrono::nanoseconds expected[] = {100ms, 200ms, 400ms, 800ms, 1s, 1s};
  for (size_t streak = 0; streak < 6; ++streak)
    CAF_CHECK(testee.delay(streak) == expected[streak]);
  CAF_CHECK(testee.delay(1000) == 1s);
}

CAF_TEST(the first restart of a streak may come at once) {
  backoff testee{{100ms, 1s, 0, 1, true}};
  CAF_CHECK(testee.delay(0) == 0ms);
  CAF_CHECK(testee.delay(1) == 100ms);
  CAF_CHECK(testee.delay(2) == 200ms);
}

CAF_TEST(a first delay of zero never waits) {
  backoff testee{{0ms, 1s, 0.5, 1, false}};
  for (size_t streak = 0; streak < 100; ++streak)
    CAF_CHECK(testee.delay(streak) == 0ms);
}

CAF_TEST(jitter stays within its share and spreads) {
  backoff testee{{100ms, 100ms, 0.2, 7, false}};
  auto least = std::chrono::nanoseconds{1h};
  auto most = std::chrono::nanoseconds{0};
  for (int i = 0; i < 1000; ++i) {
    const auto delay = testee.delay(3);
    CAF_REQUIRE(delay >= 80ms && delay <= 120ms);
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  CAF_CHECK(least < 82ms);
  CAF_CHECK(most > 118ms);
}

CAF_TEST(equal seeds give equal delays) {
  backoff a{{100ms, 10s, 0.5, 42, false}}, b{{100ms, 10s, 0.5, 42, false}};
  backoff other{{100ms, 10s, 0.5, 43, false}};
  bool differs = false;
  for (size_t streak = 0; streak < 20; ++streak) {
    const auto delay = a.delay(streak);
    CAF_CHECK(delay == b.delay(streak));
    differs |= delay != other.delay(streak);
  }
  CAF_CHECK(differs);
}
