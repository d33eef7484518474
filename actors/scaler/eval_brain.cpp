#include "actors/scaler/eval_brain.hpp"

#include <boost/json.hpp>

#include "actors/scaler/classifier.hpp"
#include "actors/scaler/maybe_json.hpp"
#include "actors/scaler/replay.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

size_t max_workers(const scaler_options& options, const std::optional<host_sample>& host) {
  const auto cores = host ? std::max(host->cores, 1.0) : 1.0;
  return effective_max_workers(options.eval, static_cast<size_t>(cores));
}

/// What both kinds of state have.
json::object state_of(const std::string& target, const eval_report& report) {
  const auto& workers = report.workers;
  json::object result{{"target", target},
                      {"workers", workers.max},
                      {"busy", workers.busy},
                      {"idle", workers.bound + workers.unbound},
                      {"starting", workers.starting}};
  if (const auto& sample = report.sample) {
    result["queue"] = maybe(sample->queue);
    result["queue_wait_p50_us"] = maybe(sample->queue_wait_p50_us);
    result["queue_wait_p99_us"] = maybe(sample->queue_wait_p99_us);
    result["service_p50_us"] = maybe(sample->service_p50_us);
    result["rejected"] = maybe(sample->rejected);
    result["compiling"] = sample->compiling;
    result["cpu_cores"] = maybe(sample->cpu_cores);
  }
  return result;
}

} // namespace

std::string fixed_state(const std::string& target, const eval_report& report) {
  auto result = state_of(target, report);
  result["enabled"] = false;
  return json::serialize(result);
}

eval_load load_of(const eval_report& report, const scaler_options& options) {
  eval_load result;
  result.queue = report.sample ? report.sample->queue.value_or(0) : 0;
  result.at_max = !options.eval.enabled || report.workers.max >= max_workers(options, report.host);
  return result;
}

eval_brain::eval_brain(eval_brain_options options, steady::time_point now)
    : options_(std::move(options)), set_(eval_policy_options(options_.board->options(), 1)),
      policy_(set_, max_, now), log_(options_.target, set_.log_period),
      decisions_(file("decisions.jsonl")), ticks_(file("ticks.log")),
      metrics_(*options_.books, options_.target) {}

std::filesystem::path eval_brain::file(const char* name) const {
  return options_.folder.empty() ? std::filesystem::path{} : options_.folder / name;
}

void eval_brain::take_settings(const eval_report& report) {
  const auto queue_max = report.sample ? report.sample->queue_max : 1;
  set_ = eval_policy_options(options_.board->options(), queue_max);
  if (report.host)
    max_ = max_workers(set_, report.host);
  policy_.configure(set_, max_);
}

std::optional<size_t> eval_brain::step(const eval_report& report, bool owner,
                                       steady::time_point now) {
  take_settings(report);
  tick seen;
  seen.now = now;
  seen.owner = owner;
  seen.inputs = classify_eval(report.sample, report.host, set_, now);
  seen.instances = slots_.look(report.workers);
  ticks_.write(tick_line(seen));
  const auto made = policy_.step(seen);
  show(made, report, seen);
  return made.applied ? std::optional{made.wanted} : std::nullopt;
}

void eval_brain::show(const decision& made, const eval_report& report, const tick& seen) {
  const auto line = log_.note(made, seen.now, options_.time_of_day());
  if (line)
    decisions_.write(*line);
  if (line && made.applied)
    options_.log->info(options_.speaker, to_string(made.what),
                       {{"target", options_.target},
                        {"to", made.wanted},
                        {"reason", to_string(made.why)},
                        {"verdict", to_string(made.inputs.what)}});
  auto state = state_of(options_.target, report);
  state["enabled"] = true;
  state["verdict"] = to_string(made.inputs.what);
  state["reason"] = to_string(made.why);
  state["held_by"] = to_string(made.held_by);
  state["wanted"] = made.wanted;
  state["max"] = max_;
  state["dry_run"] = set_.dry_run;
  state["rps"] = made.inputs.rps;
  state["u"] = made.inputs.u.value_or(0);
  options_.board->show(json::serialize(state),
                       line ? std::vector{*line} : std::vector<std::string>{});
  size_t counts[3] = {};
  for (const auto& each : seen.instances)
    ++counts[static_cast<size_t>(each.state)];
  metrics_.show_instances(counts[1], counts[0], counts[2], made.wanted);
  metrics_.show_decision(made, line.has_value());
  if (report.sample)
    metrics_.show_samples({{options_.target, report.sample->at}});
  metrics_.show_state(policy_.in_panic(seen.now), false, set_.dry_run, policy_.penalty());
}

} // namespace caf_app::scaler
