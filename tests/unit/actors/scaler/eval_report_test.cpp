#define CAF_SUITE eval_report
#include "actors/scaler/eval_report.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::scaler;

CAF_TEST(a report arrives as it was with the times of the reader) {
  const steady::time_point there{5h};
  const steady::time_point here{1h};
  eval_report sent;
  sent.workers = {4, 1, 2, 3, 4};
  auto& sample = sent.sample.emplace();
  sample.at = there - 100ms;
  sample.seq = 9;
  sample.workers = 4;
  sample.queue_max = 64;
  sample.compiling = 1;
  sample.busy = 3.5;
  sample.queue = 7;
  sample.queue_wait_p50_us = 10.5;
  sample.service_p50_us = 20.5;
  sample.calls = 11;
  sample.rate = 55.5;
  sample.run_delay = 0.25;
  auto& host = sent.host.emplace();
  host.at = there - 50ms;
  host.cores = 2;
  host.idle_cores = 0.5;
  host.memory_available = 1000;
  const auto got = parse_eval_report(to_json(sent, there), here);
  CAF_REQUIRE(got);
  CAF_CHECK(got->workers == sent.workers);
  CAF_CHECK(got->sample->at == here - 100ms);
  CAF_CHECK(got->host->at == here - 50ms);
  CAF_CHECK_EQUAL(got->sample->seq, 9u);
  CAF_CHECK_EQUAL(got->sample->queue_max, 64u);
  CAF_CHECK(got->sample->busy == sample.busy);
  CAF_CHECK(got->sample->queue == sample.queue);
  CAF_CHECK(got->sample->queue_wait_p50_us == sample.queue_wait_p50_us);
  CAF_CHECK(!got->sample->queue_wait_p99_us);
  CAF_CHECK(got->sample->service_p50_us == sample.service_p50_us);
  CAF_CHECK(got->sample->calls == sample.calls);
  CAF_CHECK(!got->sample->rejected);
  CAF_CHECK(got->sample->rate == sample.rate);
  CAF_CHECK(got->sample->run_delay == sample.run_delay);
  CAF_CHECK(got->host->idle_cores == host.idle_cores);
  CAF_CHECK(got->host->memory_available == host.memory_available);
}

CAF_TEST(nothing measured is nothing known and a negative value is missing) {
  const steady::time_point now{1h};
  const auto empty = parse_eval_report(to_json({}, now), now);
  CAF_REQUIRE(empty);
  CAF_CHECK(!empty->sample && !empty->host);
  eval_report odd;
  odd.sample.emplace().busy = -1;
  CAF_CHECK(!parse_eval_report(to_json(odd, now), now)->sample->busy);
}

CAF_TEST(what is no report is refused) {
  for (const auto* bad : {"", "null", "{}", R"({"now_ns":1,"max":1})"})
    CAF_CHECK(code_of(parse_eval_report(bad, {}).error()) == errc::invalid_argument);
}
