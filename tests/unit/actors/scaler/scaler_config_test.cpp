#define CAF_SUITE scaler_config
#include "actors/scaler/scaler_config.hpp"

#include <caf/test/unit_test.hpp>

#include "support/config_reading.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

/// Reads the lines of a [scaler] section.
caf_app::test::config_reading<scaler_options> read(const std::string& lines) {
  return caf_app::test::read_config<scaler_options>(
      "[scaler]\n" + lines, {},
      [](auto& file, auto& out) { file.read("scaler", scaler_config_rule(), out); });
}

bool refused(const std::string& text, const std::string& part) {
  return read(text).error.find(part) != std::string::npos;
}

bool accepted(const std::string& text) { return read(text).error.empty(); }

} // namespace

CAF_TEST(an empty section has the defaults) {
  const auto [value, error] = read("");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK_EQUAL(value.min_instances, 1u);
  CAF_CHECK_EQUAL(value.up, 0.75);
  CAF_CHECK(value.quiet_window == 30s);
}

CAF_TEST(all keys are read) {
  const auto [value, error] = read(R"(
enabled = false
dry_run = true
min_instances = 2
max_instances = 5
period = "100ms"
stale_after = "2s"
up = 0.9
down = 0
up_samples = 4
up_cooldown = "2s"
warmup = "3s"
quiet_window = "40s"
down_cooldown = "5s"
panic_queue = 10
panic_lag = "50ms"
gain_min = 0.2
gain_memory = "1m"
rebalance_window = "1s"
start_timeout = "5s"
failed_backoff = "3s"
retire_deadline = "60s"
instance_ports = "7110-7119"
eval = { enabled = true, min_workers = 2, max_workers = 5 }
)");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK(!value.enabled);
  CAF_CHECK(value.dry_run);
  CAF_CHECK_EQUAL(value.max_instances, 5u);
  CAF_CHECK(value.period == 100ms);
  CAF_CHECK_EQUAL(value.up, 0.9);
  CAF_CHECK_EQUAL(value.down, 0.0);
  CAF_CHECK_EQUAL(value.panic_queue, 10u);
  CAF_CHECK(value.retire_deadline == 60s);
  CAF_CHECK_EQUAL(value.instance_ports, "7110-7119");
  CAF_CHECK(value.eval.enabled);
  CAF_CHECK_EQUAL(value.eval.min_workers, 2u);
  CAF_CHECK_EQUAL(value.eval.max_workers, 5u);
}

CAF_TEST(workers of an evaluator have bounds of their own) {
  CAF_CHECK(!read("").value.eval.enabled);
  CAF_CHECK(accepted("eval = { min_workers = 64, max_workers = 64 }"));
  CAF_CHECK(accepted("eval = { min_workers = 3, max_workers = 0 }"));
  CAF_CHECK(refused("eval = { min_workers = 0 }", "1"));
  CAF_CHECK(refused("eval = { max_workers = 65 }", "64"));
  CAF_CHECK(refused("eval = { min_workers = 3, max_workers = 2 }", "max_workers"));
  CAF_CHECK(refused("eval = { min_worker = 3 }", "min_workers"));
  eval_bounds bounds;
  CAF_CHECK_EQUAL(effective_max_workers(bounds, 2), 2u);
  bounds.min_workers = 3;
  CAF_CHECK_EQUAL(effective_max_workers(bounds, 2), 3u);
  bounds.max_workers = 9;
  CAF_CHECK_EQUAL(effective_max_workers(bounds, 2), 9u);
}

CAF_TEST(half of a queue is a panic however long it is) {
  const scaler_options options;
  CAF_CHECK_EQUAL(eval_policy_options(options, 0).panic_queue, 1u);
  CAF_CHECK_EQUAL(eval_policy_options(options, 1).panic_queue, 1u);
  CAF_CHECK_EQUAL(eval_policy_options(options, 3).panic_queue, 2u);
  CAF_CHECK_EQUAL(eval_policy_options(options, 1024).panic_queue, 512u);
}

CAF_TEST(thresholds that would flap are refused) {
  CAF_CHECK(refused("up = 0.54", "0.2 above down"));
  CAF_CHECK(accepted("up = 0.55"));
  CAF_CHECK(accepted("up = 0.56"));
  CAF_CHECK(refused("down = 0.56", "0.2 above down"));
}

CAF_TEST(bad values and bounds that cross are refused) {
  CAF_CHECK(refused("up = 1.1", "a number of 0 to 1"));
  CAF_CHECK(refused("up = \"x\"", "a number of 0 to 1"));
  CAF_CHECK(refused("min_instances = 0", "1"));
  CAF_CHECK(refused("max_instances = 65", "64"));
  CAF_CHECK(accepted("max_instances = 64"));
  CAF_CHECK(refused("min_instances = 3\nmax_instances = 2", "max_instances"));
  CAF_CHECK(refused("stale_after = \"300ms\"", "two periods"));
  CAF_CHECK(refused("instance_ports = \"9-8\"", "range of ports"));
  CAF_CHECK(refused("upp = 0.5", "up"));
}

CAF_TEST(a range of ports has two ends or one) {
  const auto both = parse_port_range("7110-7119");
  CAF_REQUIRE(both);
  CAF_CHECK_EQUAL(both->first, 7110);
  CAF_CHECK_EQUAL(both->second, 7119);
  CAF_CHECK(parse_port_range("80"));
  for (const auto* bad : {"", "-", "1-", "-1", "0-5", "5-4", "1-65536", "1-2-3", "a", " 1"})
    CAF_CHECK(!parse_port_range(bad));
}

CAF_TEST(the maximum follows the cores) {
  scaler_options options;
  CAF_CHECK_EQUAL(effective_max(options, 1), 2u);
  CAF_CHECK_EQUAL(effective_max(options, 2), 3u);
  CAF_CHECK_EQUAL(effective_max(options, 8), 12u);
  options.max_instances = 4;
  CAF_CHECK_EQUAL(effective_max(options, 2), 4u);
}
