#include "actors/scaler/scaler_config.hpp"

#include <charconv>

#include "caf_app/base/config_compound_rule.hpp"
#include "caf_app/base/config_schema.hpp"

namespace caf_app::scaler {

namespace {

using namespace std::chrono_literals;

constexpr size_t instances_max = 64;
constexpr size_t workers_max = 64; // of an evaluator, as its own section has it
constexpr double gap_min = 0.2;    // between `up` and `down`: closer together they flap
constexpr double rounding = 1e-9;

/// A share of 0 .. 1, as a number with or without a point.
config_rule<double> as_share() {
  config_rule<double> rule;
  rule.type = "number of 0 to 1";
  rule.read = [](const config_value& value, double& out, config_report& report) {
    const auto* real = value.as<double>();
    const auto* whole = value.as<int64_t>();
    const auto found = real ? *real : whole ? static_cast<double>(*whole) : -1.0;
    if (!(found >= 0 && found <= 1))
      return expected_other(value, "a number of 0 to 1", report);
    out = found;
    return true;
  };
  rule.format = [](const double& value) {
    auto text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
  };
  return rule;
}

config_rule<std::string> as_port_range() {
  auto rule = as_text();
  const auto read = rule.read;
  rule.type = "range of ports";
  rule.read = [](const config_value& value, std::string& out, config_report& report) {
    const auto* text = value.as<std::string>();
    if (!text || (!text->empty() && !parse_port_range(*text)))
      return expected_other(value, "a range of ports such as \"7110-7119\", or \"\"", report);
    out = *text;
    return true;
  };
  return rule;
}

std::optional<uint16_t> parse_port(std::string_view text) {
  uint16_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size() || result == 0)
    return std::nullopt;
  return result;
}

void check_relations(const config_value& table, scaler_options& out, config_report& report) {
  const auto place = [&](const char* key) {
    const auto* member = table.find(key);
    return member ? member->at : table.at;
  };
  if (out.up - out.down < gap_min - rounding)
    report.add(place("up"), "expected up at least 0.2 above down, or it would flap");
  if (out.max_instances > 0 && out.max_instances < out.min_instances)
    report.add(place("max_instances"), "expected max_instances not below min_instances, or 0");
  if (out.stale_after < 2 * out.period)
    report.add(place("stale_after"), "expected stale_after to be at least two periods");
}

config_rule<eval_bounds> as_eval_bounds() {
  using options = eval_bounds;
  config_schema<options> schema{"scaler.eval"};
  schema.key("enabled", &options::enabled, as_boolean(), "otherwise there are `eval.workers`")
      .key("min_workers", &options::min_workers, as_count(1, workers_max), "never fewer")
      .key("max_workers", &options::max_workers, as_count(0, workers_max),
           "never more; 0: one per core")
      .check([](const config_value& table, options& out, config_report& report) {
        if (out.max_workers > 0 && out.max_workers < out.min_workers)
          report.add(table.find("max_workers") ? table.find("max_workers")->at : table.at,
                     "expected max_workers not below min_workers, or 0");
      });
  return as_table(std::move(schema));
}

config_schema<scaler_options> counts_and_thresholds() {
  using options = scaler_options;
  config_schema<options> schema{"scaler"};
  schema.key("enabled", &options::enabled, as_boolean(), "nodes with the role scaler run it")
      .key("dry_run", &options::dry_run, as_boolean(), "decides and logs, does not act")
      .key("min_instances", &options::min_instances, as_count(1, instances_max), "never fewer")
      .key("max_instances", &options::max_instances, as_count(0, instances_max),
           "never more; 0: one and a half per core, at least 2")
      .key("period", &options::period, as_duration(20ms, 1min), "of samples and decisions")
      .key("stale_after", &options::stale_after, as_duration(40ms, 10min),
           "older samples are missing")
      .key("up", &options::up, as_share(), "loop utilisation that asks for one more")
      .key("down", &options::down, as_share(), "what the rest may have after one less")
      .key("up_samples", &options::up_samples, as_count(1, 1000), "in a row, before it grows")
      .key("gain_min", &options::gain_min, as_share(), "of requests/s that a newcomer has to add")
      .key("panic_queue", &options::panic_queue, as_count(1, 65'535),
           "queued connections that make a panic")
      .key("instance_ports", &options::instance_ports, as_port_range(),
           "where the links of instances come from, at least as many as instances; \"\": any");
  return schema;
}

} // namespace

std::optional<std::pair<uint16_t, uint16_t>> parse_port_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_port(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_port(text.substr(dash + 1));
  if (!first || !last || *last < *first)
    return std::nullopt;
  return std::pair{*first, *last};
}

config_rule<scaler_options> scaler_config_rule() {
  using options = scaler_options;
  auto schema = counts_and_thresholds();
  schema
      .key("up_cooldown", &options::up_cooldown, as_duration(0ms, 1h),
           "from a newcomer's readiness to the next growth")
      .key("warmup", &options::warmup, as_duration(0ms, 1h), "until a newcomer's gain is judged")
      .key("quiet_window", &options::quiet_window, as_duration(100ms, 24h),
           "all samples in it must allow a shrink")
      .key("down_cooldown", &options::down_cooldown, as_duration(0ms, 24h),
           "from any change, growth too, to a shrink")
      .key("panic_lag", &options::panic_lag, as_duration(1ms, 1min), "loop lag that makes a panic")
      .key("gain_memory", &options::gain_memory, as_duration(0ms, 24h),
           "how long a count without gain is avoided")
      .key("rebalance_window", &options::rebalance_window, as_duration(0ms, 1min),
           "of steering toward the emptiest instance")
      .key("start_timeout", &options::start_timeout, as_duration(100ms, 10min),
           "from the launch of an instance until it is ready")
      .key("failed_backoff", &options::failed_backoff, as_duration(0ms, 1h),
           "pause after a failed start")
      .key("retire_deadline", &options::retire_deadline, as_duration(1s, 24h),
           "then what still runs on a retired instance is cut")
      .key("eval", &options::eval, as_eval_bounds(), "how many workers an evaluator has")
      .check(check_relations);
  return as_table(std::move(schema));
}

} // namespace caf_app::scaler
