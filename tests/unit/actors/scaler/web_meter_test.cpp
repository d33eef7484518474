#define CAF_SUITE web_meter
#include "actors/scaler/web_meter.hpp"

#include <cmath>

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};

web_sums sums(steady::duration age, steady::duration waited) {
  web_sums result;
  result.loops.push_back({age, waited, 0ms, 0ms, 0});
  result.requests = 0;
  result.cpu_us = 0;
  return result;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

} // namespace

CAF_TEST(the first look gives no sample) {
  web_meter testee{"n", "1"};
  CAF_CHECK(!testee.sample(sums(1s, 1s), start));
  CAF_CHECK(!testee.sample(sums(2s, 1s), start)); // no time has passed
}

CAF_TEST(a window is the difference of two looks) {
  web_meter testee{"n", "1"};
  testee.sample(sums(1s, 1s), start);
  auto now = sums(1200ms, 1050ms);
  now.requests = 40;
  now.cpu_us = 20'000;
  now.loops[0].run_delay_ns = 50'000'000;
  now.loops[0].lag = 3ms;
  now.loops[0].running_for = 7ms;
  now.connections = 9;
  const auto x = testee.sample(now, start + 200ms);
  CAF_REQUIRE(x);
  CAF_CHECK_EQUAL(x->instance, "n");
  CAF_CHECK_EQUAL(x->seq, 1u);
  CAF_CHECK(x->window == 200ms);
  CAF_CHECK(near(*x->loop_busy[0], 0.75));
  CAF_CHECK(near(*x->loop_run_delay[0], 0.25));
  CAF_CHECK(near(*x->lag_us, 7000));
  CAF_CHECK(x->requests == std::optional<uint64_t>{40});
  CAF_CHECK(near(*x->cpu_us, 20'000));
  CAF_CHECK(x->connections == std::optional<uint64_t>{9});
}

CAF_TEST(sums that went backwards are missing) {
  web_meter testee{"n", "1"};
  auto before = sums(1s, 500ms);
  before.requests = 10;
  before.loops[0].run_delay_ns = 10;
  testee.sample(before, start);
  auto now = sums(1200ms, 400ms);
  now.requests = 9;
  now.cpu_us.reset();
  now.loops[0].run_delay_ns = 9;
  const auto x = testee.sample(now, start + 200ms);
  CAF_REQUIRE(x);
  CAF_CHECK(!x->loop_busy[0]);
  CAF_CHECK(!x->loop_run_delay[0]);
  CAF_CHECK(!x->requests);
  CAF_CHECK(!x->cpu_us);
}

CAF_TEST(peaks and open requests between two samples count) {
  web_meter testee{"n", "1"};
  testee.sample(sums(1s, 1s), start);
  auto busy = sums(1100ms, 1s);
  busy.accept_queue = 70;
  busy.open.upstream = 3;
  testee.peek(busy);
  auto now = sums(1200ms, 1s);
  now.open.local = 1;
  const auto x = testee.sample(now, start + 200ms);
  CAF_REQUIRE(x);
  CAF_CHECK(x->accept_queue_peak == std::optional<uint64_t>{70});
  CAF_CHECK(near(x->time->waiting() / x->time->total(), 0.75));
  const auto next = testee.sample(sums(1400ms, 1s), start + 400ms);
  CAF_REQUIRE(next);
  CAF_CHECK(next->accept_queue_peak == std::optional<uint64_t>{0});
  CAF_CHECK(near(next->time->total(), 0));
}

CAF_TEST(upstreams show who waited and what was refused in a window) {
  web_meter testee{"n", "1"};
  auto now = sums(1s, 1s);
  now.upstreams = {{"a", 5, 7}};
  testee.sample(now, start);
  now = sums(1100ms, 1s);
  now.upstreams = {{"a", 3, 8}, {"b", 1, 4}};
  testee.peek(now);
  now.upstreams = {{"a", 0, 9}, {"b", 0, 4}};
  auto x = testee.sample(now, start + 100ms);
  CAF_REQUIRE(x);
  CAF_REQUIRE_EQUAL(x->upstreams.size(), 2u);
  CAF_CHECK_EQUAL(x->upstreams[0].queue_peak, 3u); // what was before the window does not count
  CAF_CHECK_EQUAL(x->upstreams[0].again, 2u);
  CAF_CHECK_EQUAL(x->upstreams[1].queue_peak, 1u);
  CAF_CHECK_EQUAL(x->upstreams[1].again, 4u); // it is new
  now.loops[0].age = 1200ms;
  now.upstreams = {{"b", 0, 2}}; // it was made anew
  x = testee.sample(now, start + 200ms);
  CAF_REQUIRE(x);
  CAF_REQUIRE_EQUAL(x->upstreams.size(), 1u);
  CAF_CHECK_EQUAL(x->upstreams[0].queue_peak, 0u);
  CAF_CHECK_EQUAL(x->upstreams[0].again, 0u);
}
