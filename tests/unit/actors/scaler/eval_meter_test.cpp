#define CAF_SUITE eval_meter
#include "actors/scaler/eval_meter.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::scaler;

namespace {

const steady::time_point start{1h};

constexpr const char* load_text =
    R"({"workers":4,"starting":1,"unbound":0,"bound":1,"busy":2,"queue":7,"queue_max":64,
        "calls":10,"rejected":1,"busy_us":1e6,"wait_p50_us":3000.5,"wait_p99_us":null,
        "service_p50_us":2000,"service_mean_us":2500,"compiling":1,"pids":[11,12]})";

bool near(const std::optional<double>& x, double y) { return x && *x > y - 1e-6 && *x < y + 1e-6; }

} // namespace

CAF_TEST(the answer of a dispatcher is read) {
  const auto load = parse_load(load_text);
  CAF_REQUIRE(load);
  CAF_CHECK((load->workers == worker_counts{4, 1, 0, 1, 2}));
  CAF_CHECK_EQUAL(load->workers.existing(), 4u);
  CAF_CHECK_EQUAL(load->queue, 7u);
  CAF_CHECK(near(load->wait_p50_us, 3000.5));
  CAF_CHECK(!load->wait_p99_us);
  CAF_CHECK((load->pids == std::vector<int>{11, 12}));
}

CAF_TEST(what is no load is refused) {
  for (const std::string bad : {"", "null", "{}", "[1]", R"({"workers":-1})"})
    CAF_CHECK(code_of(parse_load(bad).error()) == errc::invalid_argument);
}

CAF_TEST(a sample is the difference of two looks) {
  auto sums = *parse_load(load_text);
  eval_meter testee;
  CAF_CHECK(!testee.sample(sums, start));
  sums.calls += 40;
  sums.rejected += 2;
  sums.busy_us += 400'000;
  const auto sample = testee.sample(sums, start + 200ms);
  CAF_REQUIRE(sample);
  CAF_CHECK_EQUAL(sample->seq, 1u);
  CAF_CHECK_EQUAL(sample->workers, 4u);
  CAF_CHECK(near(sample->busy, 2));
  CAF_CHECK_EQUAL(*sample->calls, 40u);
  CAF_CHECK_EQUAL(*sample->rejected, 2u);
  CAF_CHECK(near(sample->rate, 2 / 2500e-6)); // two workers, 2.5 ms each
  sums.service_mean_us.reset();
  sums.calls += 40;
  CAF_CHECK(near(testee.sample(sums, start + 400ms)->rate, 200)); // what was counted
}

CAF_TEST(sums that go backwards are missing) {
  auto sums = *parse_load(load_text);
  eval_meter testee;
  testee.sample(sums, start);
  sums.calls = sums.rejected = 0; // the dispatcher began anew
  sums.busy_us = 0;
  const auto sample = testee.sample(sums, start + 200ms);
  CAF_REQUIRE(sample);
  CAF_CHECK(!sample->busy && !sample->calls && !sample->rejected && !sample->rate);
  CAF_CHECK(sample->queue);
  CAF_CHECK(!testee.sample(sums, start + 200ms)); // no time has passed
}

CAF_TEST(how the host served the workers is that of those that lived through the window) {
  auto sums = *parse_load(load_text);
  sums.times = {{11, {1'000'000, 500'000}}};
  eval_meter testee;
  testee.sample(sums, start);
  sums.busy_us += 100'000;
  sums.times = {{11, {51'000'000, 25'500'000}}, {12, {900'000'000, 900'000'000}}};
  const auto sample = testee.sample(sums, start + 100ms);
  CAF_CHECK(near(sample->cpu_cores, 0.5));
  CAF_CHECK(near(sample->run_delay, 0.25));
  sums.times.clear(); // cannot be read
  sums.busy_us += 100'000;
  CAF_CHECK(!testee.sample(sums, start + 200ms)->run_delay);
}
