#define CAF_SUITE reconnect_backoff
#include "caf_app/cluster/reconnect_backoff.hpp"

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;
using caf_app::reconnect_backoff;

CAF_TEST(waits double up to the maximum with jitter of a half) {
  reconnect_backoff backoff{{}, test_seed()};
  for (const auto step : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
    const auto wait = backoff.next();
    CAF_CHECK(wait >= step / 2);
    CAF_CHECK(wait <= step);
  }
}

CAF_TEST(a success begins anew) {
  reconnect_backoff backoff{{}, test_seed()};
  for (int i = 0; i < 10; ++i)
    backoff.next();
  backoff.reset();
  CAF_CHECK(backoff.next() <= 100ms);
}

CAF_TEST(two nodes do not wait alike) {
  reconnect_backoff a{{}, 1};
  reconnect_backoff b{{}, 2};
  int equal = 0;
  for (int i = 0; i < 20; ++i)
    equal += a.next() == b.next() ? 1 : 0;
  CAF_CHECK(equal < 5);
}
