#define CAF_SUITE sample_json
#include "actors/scaler/sample_json.hpp"

#include <cmath>

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

web_sample full_sample() {
  web_sample s;
  s.instance = "edge-1.2";
  s.incarnation = "4711";
  s.seq = 9;
  s.at = steady::time_point{1h + 7ns};
  s.window = 200ms;
  s.loop_busy = {0.5, std::nullopt};
  s.loop_run_delay = {0.25};
  s.lag_us = 900;
  s.accept_queue_peak = 3;
  s.connections = 64;
  s.idle_connections = 60;
  s.requests = 1000;
  s.in_flight = 4;
  s.time = time_split{1, 2, 3, 4, 5};
  s.upstreams = {{"php", 6, 7}};
  s.fpm_idle = 0;
  s.cpu_us = 150'000;
  s.rss_bytes = 20'000'000;
  return s;
}

bool has_error(const std::string& line) { return !parse_sample(line); }

} // namespace

CAF_TEST(a sample comes back) {
  const auto line = to_json(full_sample());
  const auto back = parse_sample(line);
  CAF_REQUIRE(back);
  const auto again = to_json(*back);
  CAF_CHECK_EQUAL(again, line);
  CAF_CHECK(back->at == full_sample().at);
  CAF_CHECK(!back->loop_busy[1]);
  CAF_CHECK_EQUAL(back->upstreams[0].again, 7u);
}

CAF_TEST(what is missing or no number stays missing) {
  auto s = full_sample();
  s.loop_busy = {std::nan("")};
  s.lag_us = INFINITY;
  s.requests.reset();
  const auto back = parse_sample(to_json(s));
  CAF_REQUIRE(back);
  CAF_CHECK_EQUAL(back->loop_busy.size(), 1u);
  CAF_CHECK(!back->loop_busy[0]);
  CAF_CHECK(!back->lag_us);
  CAF_CHECK(!back->requests);
  const auto negative = parse_sample(
      R"({"instance":"a","at_ns":1,"window_ns":1,"seq":1,"busy":[-0.1,"x",0.5],"requests":-3})");
  CAF_REQUIRE(negative);
  CAF_CHECK(!negative->loop_busy[0]);
  CAF_CHECK(!negative->loop_busy[1]);
  CAF_CHECK(negative->loop_busy[2] == std::optional<double>{0.5});
  CAF_CHECK(!negative->requests);
}

CAF_TEST(what is no sample is refused) {
  for (const auto* line : {"", "{", "[]", "7", "{}", R"({"instance":"a"})",
                           R"({"instance":"","at_ns":1,"window_ns":1,"seq":1})",
                           R"({"instance":"a","at_ns":-1,"window_ns":1,"seq":1})"})
    CAF_CHECK(has_error(line));
}
