#define CAF_SUITE fleet_report
#include "actors/scaler/fleet_report.hpp"

#include <caf/test/unit_test.hpp>

#include "actors/scaler/sample_json.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

const steady::time_point there{1h}; // the clock of the fleet
const steady::time_point here{5h};  // that of the reader

fleet_report full_report() {
  fleet_report x;
  x.instances = {{"n", 1, "7", instance_state::ready, there - 1min},
                 {"n.2", 2, "8", instance_state::draining, there - 1s, false}};
  x.samples.resize(1);
  x.samples[0].instance = "n.2";
  x.samples[0].incarnation = "8";
  x.samples[0].seq = 4;
  x.samples[0].at = there - 50ms;
  x.samples[0].window = 200ms;
  x.events = {true, false, true, {300ms}, {2s, 3s}, 1};
  x.host = {there - 10ms, 2, 0.5, std::nullopt, 1 << 20};
  x.max_instances = 3;
  x.pin = 2;
  return x;
}

} // namespace

CAF_TEST(a report comes back with its times moved to the clock of the reader) {
  const auto back = parse_report(to_json(full_report(), there), here);
  CAF_REQUIRE(back);
  CAF_REQUIRE_EQUAL(back->instances.size(), 2u);
  CAF_CHECK_EQUAL(back->instances[1].name, "n.2");
  CAF_CHECK_EQUAL(back->instances[1].number, 2u);
  CAF_CHECK_EQUAL(back->instances[1].incarnation, "8");
  CAF_CHECK(back->instances[1].state == instance_state::draining);
  CAF_CHECK(back->instances[1].started == here - 1s);
  CAF_CHECK(back->instances[0].listens);
  CAF_CHECK(!back->instances[1].listens);
  CAF_REQUIRE_EQUAL(back->samples.size(), 1u);
  CAF_CHECK(back->samples[0].at == here - 50ms);
  CAF_CHECK(back->samples[0].window == 200ms);
  CAF_CHECK(back->events.start_failed);
  CAF_CHECK(!back->events.instance_failed);
  CAF_CHECK(back->events.steer_failed);
  CAF_CHECK(back->events.grown == std::vector<std::chrono::milliseconds>{300ms});
  CAF_CHECK(back->events.retired == (std::vector<std::chrono::milliseconds>{2s, 3s}));
  CAF_CHECK_EQUAL(back->events.cut, 1u);
  CAF_CHECK(back->host.at == here - 10ms);
  CAF_CHECK(back->host.idle_cores == 0.5);
  CAF_CHECK(!back->host.throttled);
  CAF_CHECK_EQUAL(back->max_instances, 3u);
  CAF_CHECK(back->pin == std::optional<size_t>{2});
}

CAF_TEST(what is no report is refused) {
  const auto whole = to_json(full_report(), there);
  for (const auto* bad : {"", "{", "[]", "{}", "null", "{\"now_ns\": \"x\"}"})
    CAF_CHECK(!parse_report(bad, here));
  for (size_t size = 0; size < whole.size(); size += 7)
    CAF_CHECK(!parse_report(whole.substr(0, size), here));
}
