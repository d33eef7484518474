#include "actors/scaler/scaler_metrics.hpp"

#include <cmath>

namespace caf_app::scaler {

namespace {

constexpr double per_mille = 1000;

std::vector<double> seconds_bounds() { return {0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60, 120}; }

} // namespace

scaler_metrics::scaler_metrics(metrics& books, std::string target)
    : books_(books), target_(std::move(target)) {}

gauge& scaler_metrics::of(const std::string& name, const std::string& help, metric_labels labels) {
  labels.emplace_back("target", target_);
  return books_.gauge(name, help, std::move(labels));
}

void scaler_metrics::count_events(const fleet_events& events) {
  auto& grown = books_.histogram("caf_scaler_grow_seconds",
                                 "From the launch of an instance to its first sample.",
                                 seconds_bounds(), {{"target", target_}});
  auto& retired = books_.histogram("caf_scaler_retire_seconds",
                                   "From the order to go to the end of an instance.",
                                   seconds_bounds(), {{"target", target_}});
  for (const auto ms : events.grown)
    grown.observe(std::chrono::duration<double>(ms).count());
  for (const auto ms : events.retired)
    retired.observe(std::chrono::duration<double>(ms).count());
  auto& cut = books_.counter("caf_scaler_cut_requests_total",
                             "Requests that were cut at the deadline of a retirement.",
                             {{"target", target_}});
  if (events.cut > 0)
    cut.add(events.cut);
}

void scaler_metrics::show_instances(size_t ready, size_t starting, size_t draining, size_t wanted) {
  const char* help = "Instances by state.";
  of("caf_scaler_instances", help, {{"state", "ready"}}).set(static_cast<int64_t>(ready));
  of("caf_scaler_instances", help, {{"state", "starting"}}).set(static_cast<int64_t>(starting));
  of("caf_scaler_instances", help, {{"state", "draining"}}).set(static_cast<int64_t>(draining));
  of("caf_scaler_wanted", "Instances that shall serve.").set(static_cast<int64_t>(wanted));
}

void scaler_metrics::show_decision(const decision& made, bool news) {
  for (size_t i = 0; i < verdict_count; ++i) {
    const auto each = static_cast<verdict>(i);
    of("caf_scaler_verdict", "What limits the target: 1 for the present verdict.",
       {{"verdict", to_string(each)}})
        .set(each == made.inputs.what ? 1 : 0);
  }
  const auto signal = [&](const char* name, double value) {
    of("caf_scaler_signal", "What the last decision came from; shares in thousandths.",
       {{"signal", name}})
        .set(std::llround(value));
  };
  signal("u", made.inputs.u.value_or(0) * per_mille);
  signal("u_max", made.inputs.u_max.value_or(0) * per_mille);
  signal("w", made.inputs.w * per_mille);
  signal("run_delay", made.inputs.run_delay.value_or(0) * per_mille);
  signal("accept_queue_peak", static_cast<double>(made.inputs.accept_queue_peak));
  signal("lag_us", made.inputs.lag_us);
  signal("rps", made.inputs.rps);
  if (news)
    books_
        .counter("caf_scaler_decisions_total", "Logged decisions.",
                 {{"target", target_},
                  {"action", to_string(made.what)},
                  {"reason", to_string(made.why)}})
        .add();
}

void scaler_metrics::show_samples(const std::map<std::string, steady::time_point>& samples) {
  std::erase_if(ages_, [&](const auto& each) { return samples.count(each.first) == 0; });
  for (const auto& [instance, at] : samples) {
    auto& age = ages_[instance];
    if (!age.at_ns) {
      age.at_ns = std::make_shared<std::atomic<int64_t>>();
      age.shown =
          books_.observe("caf_scaler_sample_age_seconds", "Age of the last sample of an instance.",
                         [at_ns = age.at_ns] {
                           const steady::time_point then{steady::duration{at_ns->load()}};
                           return std::chrono::duration<double>(steady_now() - then).count();
                         },
                         {{"instance", instance}});
    }
    age.at_ns->store(at.time_since_epoch().count());
  }
}

void scaler_metrics::show_state(bool panic, bool pinned, bool dry_run, unsigned penalty) {
  of("caf_scaler_panic", "1 while nothing shrinks because of a panic.").set(panic ? 1 : 0);
  of("caf_scaler_pinned", "1 while the count is set by hand.").set(pinned ? 1 : 0);
  of("caf_scaler_dry_run", "1 if decisions are only logged.").set(dry_run ? 1 : 0);
  of("caf_scaler_penalty", "Factor of the quiet window after flaps.").set(penalty);
}

} // namespace caf_app::scaler
