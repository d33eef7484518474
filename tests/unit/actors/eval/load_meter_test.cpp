#define CAF_SUITE load_meter
#include "actors/eval/load_meter.hpp"

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using caf_app::eval::load_meter;

namespace {

const load_meter::time_point start{1h};

} // namespace

CAF_TEST(nothing seen is nothing known) {
  const auto load = load_meter{}.look({}, start);
  CAF_CHECK_EQUAL(load.calls, 0u);
  CAF_CHECK(load.busy == 0s);
  CAF_CHECK(!load.wait_p50 && !load.wait_p99 && !load.service_p50 && !load.service_mean);
}

CAF_TEST(busy time is that of all workers up to now) {
  load_meter testee;
  testee.busy(2, start);
  testee.busy(3, start + 10ms);
  testee.busy(0, start + 20ms);
  CAF_CHECK(testee.look({}, start + 30ms).busy == 50ms);
  testee.busy(1, start + 40ms);
  CAF_CHECK(testee.look({}, start + 45ms).busy == 55ms);
}

CAF_TEST(the middle is that of what was seen lately and of what waits now) {
  load_meter testee;
  testee.handed_over(100s, start); // long ago
  const auto now = start + load_meter::span + 1ms;
  for (const auto wait : {1ms, 2ms, 3ms})
    testee.handed_over(wait, now);
  CAF_CHECK(testee.look({}, now).wait_p50 == 2ms);
  CAF_CHECK(testee.look({10ms, 20ms, 30ms, 40ms}, now).wait_p50 == 10ms);
  CAF_CHECK(testee.look({}, start + load_meter::span).wait_p99 == 3ms); // of four
  CAF_CHECK(!testee.look({}, now + load_meter::span + 1ms).wait_p50);
}

CAF_TEST(services are remembered when none has ended lately) {
  load_meter testee;
  for (const auto service : {1s, 2s, 6s})
    testee.finished(service, start);
  const auto load = testee.look({}, start + 1h);
  CAF_CHECK_EQUAL(load.calls, 3u);
  CAF_CHECK(load.service_p50 == 2s);
  CAF_CHECK(load.service_mean == 3s);
  for (size_t i = 0; i < load_meter::calls_min; ++i)
    testee.finished(1ms, start + 1h);
  CAF_CHECK(testee.look({}, start + 1h).service_mean == 1ms); // the old ones are out
}

CAF_TEST(memory is bounded by the last calls) {
  load_meter testee;
  for (size_t i = 0; i < load_meter::calls_kept; ++i)
    testee.handed_over(1s, start);
  for (size_t i = 0; i < load_meter::calls_kept / 2; ++i)
    testee.handed_over(1ms, start);
  CAF_CHECK(testee.look({}, start).wait_p50 == 1ms);
  testee.handed_over(1s, start);
  testee.handed_over(1s, start);
  testee.rejected();
  CAF_CHECK_EQUAL(testee.look({}, start).rejected, 1u);
}
