#define CAF_SUITE classifier
#include "actors/scaler/classifier.hpp"

#include <cmath>
#include <functional>

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

const steady::time_point now{1h};

instance_view instance(unsigned number, double busy) {
  instance_view result;
  result.name = "n." + std::to_string(number);
  result.number = number;
  result.incarnation = "x";
  result.state = instance_state::ready;
  web_sample s;
  s.instance = result.name;
  s.incarnation = "x";
  s.seq = 1;
  s.at = now;
  s.window = 200ms;
  s.loop_busy = {busy};
  s.loop_run_delay = {0.0};
  s.requests = 100;
  s.cpu_us = busy * 200'000;
  result.sample = s;
  return result;
}

host_sample host() {
  host_sample result;
  result.at = now;
  result.cores = 2;
  result.idle_cores = 1;
  result.throttled = 0.0;
  return result;
}

struct setting {
  std::vector<instance_view> instances;
  std::optional<host_sample> machine = host();
  eval_load evaluators;
};

struct row {
  const char* name;
  std::vector<double> busy;
  std::function<void(setting&)> change;
  verdict what;
  reason why;
};

web_sample& sample(setting& s, size_t i = 0) { return *s.instances[i].sample; }

void waits(setting& s, double share, bool eval = false) {
  for (auto& each : s.instances)
    each.sample->time = time_split{1 - share, eval ? 0 : share, 0, eval ? share : 0, 0};
}

void full(setting& s) { sample(s).upstreams = {{"php", 3, 0}}; }

/// Twice the same samples, the second time with later numbers.
reading judge(setting s) {
  web_classifier testee{scaler_options{}};
  testee.classify(s.instances, s.machine, s.evaluators, now);
  for (auto& each : s.instances)
    if (each.sample)
      ++each.sample->seq;
  return testee.classify(s.instances, s.machine, s.evaluators, now);
}

const double nan = std::nan("");

const row rows[] = {
    {"no sample",
     {0.5},
     [](setting& s) { s.instances[0].sample.reset(); },
     verdict::unknown,
     reason::samples_missing},
    {"one of two without",
     {0.5, 0.5},
     [](setting& s) { s.instances[1].sample.reset(); },
     verdict::unknown,
     reason::samples_missing},
    {"no host",
     {0.9},
     [](setting& s) { s.machine.reset(); },
     verdict::unknown,
     reason::samples_missing},
    {"old sample",
     {0.9},
     [](setting& s) { sample(s).at = now - 1s - 1ns; },
     verdict::unknown,
     reason::samples_stale},
    {"just fresh",
     {0.9},
     [](setting& s) { sample(s).at = now - 1s; },
     verdict::web_bound,
     reason::loop_busy},
    {"from the future",
     {0.9},
     [](setting& s) { sample(s).at = now + 1ns; },
     verdict::unknown,
     reason::samples_stale},
    {"old host",
     {0.9},
     [](setting& s) { s.machine->at = now - 2s; },
     verdict::unknown,
     reason::samples_stale},
    {"other incarnation",
     {0.9},
     [](setting& s) { sample(s).incarnation = "y"; },
     verdict::unknown,
     reason::samples_missing},
    {"not a number", {nan}, [](setting&) {}, verdict::unknown, reason::samples_missing},
    {"infinite", {INFINITY}, [](setting&) {}, verdict::unknown, reason::samples_missing},
    {"negative", {-0.1}, [](setting&) {}, verdict::unknown, reason::samples_missing},
    {"no loops",
     {0.9},
     [](setting& s) { sample(s).loop_busy.clear(); },
     verdict::unknown,
     reason::samples_missing},
    {"imbalance", {0.99, 0.1}, [](setting&) {}, verdict::imbalance, reason::skewed},
    {"two thirds full", {0.99, 0.99, 0.35}, [](setting&) {}, verdict::imbalance, reason::skewed},
    {"not skewed enough",
     {0.99, 0.36},
     [](setting&) {},
     verdict::in_band,
     reason::between_thresholds},
    {"contended",
     {0.9},
     [](setting& s) { sample(s).loop_run_delay = {0.20}; },
     verdict::host_bound,
     reason::host_contended},
    {"nearly contended",
     {0.9},
     [](setting& s) { sample(s).loop_run_delay = {0.19}; },
     verdict::web_bound,
     reason::loop_busy},
    {"throttled",
     {0.9},
     [](setting& s) { s.machine->throttled = 0.10; },
     verdict::host_bound,
     reason::cpu_throttled},
    {"no schedstat, starved",
     {0.9},
     [](setting& s) {
       sample(s).loop_run_delay = {std::nullopt};
       s.machine->idle_cores = 0.2;
       sample(s).cpu_us = 100'000;
     },
     verdict::host_bound,
     reason::host_contended},
    {"no schedstat, all our own",
     {0.9},
     [](setting& s) {
       sample(s).loop_run_delay = {std::nullopt};
       s.machine->idle_cores = 0.2;
       sample(s).cpu_us = 190'000;
     },
     verdict::web_bound,
     reason::loop_busy},
    {"mixed by waiting",
     {0.9},
     [](setting& s) { waits(s, 0.5); },
     verdict::mixed,
     reason::loop_and_upstream},
    {"mixed by a full upstream",
     {0.9},
     [](setting& s) { full(s); },
     verdict::mixed,
     reason::loop_and_upstream},
    {"busy", {0.75}, [](setting&) {}, verdict::web_bound, reason::loop_busy},
    {"busy and queued",
     {0.75},
     [](setting& s) { sample(s).accept_queue_peak = 64; },
     verdict::web_bound,
     reason::accept_queue},
    {"blocked without CPU",
     {0.99},
     [](setting& s) { sample(s).cpu_us = 0; },
     verdict::web_bound,
     reason::loop_busy},
    {"nearly busy", {0.749}, [](setting&) {}, verdict::in_band, reason::between_thresholds},
    {"eval",
     {0.5},
     [](setting& s) {
       waits(s, 0.9, true);
       s.evaluators.queue = 1;
     },
     verdict::eval_bound,
     reason::eval_queue},
    {"eval that can have no more workers",
     {0.5},
     [](setting& s) {
       waits(s, 0.6, true);
       s.evaluators = {1, true};
     },
     verdict::eval_bound,
     reason::eval_at_max},
    {"eval without queue",
     {0.5},
     [](setting& s) { waits(s, 0.9, true); },
     verdict::slow_upstream,
     reason::upstream_wait},
    {"upstream",
     {0.5},
     [](setting& s) {
       waits(s, 0.9);
       full(s);
     },
     verdict::upstream_bound,
     reason::upstream_queue},
    {"backlog",
     {0.5},
     [](setting& s) {
       waits(s, 0.9);
       sample(s).upstreams = {{"php", 0, 1}};
     },
     verdict::upstream_bound,
     reason::backlog_full},
    {"fpm",
     {0.5},
     [](setting& s) {
       waits(s, 0.9);
       sample(s).fpm_idle = 0;
     },
     verdict::upstream_bound,
     reason::fpm_full},
    {"fpm has idle ones",
     {0.5},
     [](setting& s) {
       waits(s, 0.9);
       sample(s).fpm_idle = 1;
     },
     verdict::slow_upstream,
     reason::upstream_wait},
    {"slow",
     {0.5},
     [](setting& s) { waits(s, 0.5); },
     verdict::slow_upstream,
     reason::upstream_wait},
    {"not slow enough",
     {0.5},
     [](setting& s) { waits(s, 0.49); },
     verdict::in_band,
     reason::between_thresholds},
    {"idle alone", {0.35}, [](setting&) {}, verdict::idle, reason::low_load},
    {"two, one would do", {0.17, 0.17}, [](setting&) {}, verdict::idle, reason::low_load},
    {"two, one would not do",
     {0.18, 0.18},
     [](setting&) {},
     verdict::in_band,
     reason::between_thresholds},
    {"nothing at all", {0.0}, [](setting&) {}, verdict::idle, reason::low_load},
};

} // namespace

CAF_TEST(the first row that matches is the verdict) {
  for (const auto& each : rows) {
    CAF_MESSAGE(each.name);
    setting s;
    for (const auto busy : each.busy)
      s.instances.push_back(instance(static_cast<unsigned>(s.instances.size() + 1), busy));
    each.change(s);
    const auto result = judge(s);
    CAF_CHECK_EQUAL(to_string(result.what), to_string(each.what));
    CAF_CHECK_EQUAL(to_string(result.why), to_string(each.why));
    CAF_CHECK(!result.allows_shrink || result.what == verdict::idle);
  }
}

CAF_TEST(an upstream is saturated only when two samples in a row say so) {
  web_classifier testee{scaler_options{}};
  setting s;
  s.instances = {instance(1, 0.5)};
  waits(s, 0.9);
  full(s);
  const auto look = [&] { return testee.classify(s.instances, s.machine, std::nullopt, now).what; };
  CAF_CHECK(look() == verdict::slow_upstream);
  CAF_CHECK(look() == verdict::slow_upstream); // the same sample once more
  ++sample(s).seq;
  CAF_CHECK(look() == verdict::upstream_bound);
  ++sample(s).seq;
  sample(s).upstreams.clear();
  CAF_CHECK(look() == verdict::slow_upstream);
}

CAF_TEST(starting and draining instances are no capacity) {
  setting s;
  s.instances = {instance(1, 0.8), instance(2, 0.0), instance(3, 0.0)};
  s.instances[1].state = instance_state::starting;
  s.instances[2].state = instance_state::draining;
  const auto result = judge(s);
  CAF_CHECK_EQUAL(result.n, 1u);
  CAF_CHECK(result.what == verdict::web_bound);
}

CAF_TEST(the inputs are means and extremes over the ready ones) {
  setting s;
  s.instances = {instance(1, 0.6), instance(2, 0.4)};
  sample(s, 0).loop_busy = {0.6, 0.2};
  sample(s, 1).accept_queue_peak = 7;
  sample(s, 1).lag_us = 900;
  const auto result = judge(s);
  CAF_CHECK(std::abs(*result.u - 0.4) < 1e-9);
  CAF_CHECK_EQUAL(*result.u_max, 0.6);
  CAF_CHECK_EQUAL(*result.u_min, 0.4);
  CAF_CHECK_EQUAL(result.accept_queue_peak, 7u);
  CAF_CHECK_EQUAL(result.lag_us, 900);
  CAF_CHECK(std::abs(result.rps - 1000) < 1e-6);
}

namespace {

eval_sample four_workers() {
  eval_sample s;
  s.at = now;
  s.workers = 4;
  s.queue_max = 64;
  s.busy = 4;
  s.queue = 9;
  s.queue_wait_p50_us = 2000;
  s.service_p50_us = 1999;
  s.run_delay = 0;
  s.rate = 100;
  return s;
}

reading judge_eval(const eval_sample& s, const host_sample& machine = host()) {
  return classify_eval(s, machine, scaler_options{}, now);
}

} // namespace

CAF_TEST(workers are judged by their busy share and by who waits longer than it runs) {
  auto s = four_workers();
  s.busy.reset();
  CAF_CHECK(judge_eval(s).what == verdict::unknown);
  s.busy = 4;
  CAF_CHECK(judge_eval(s).what == verdict::eval_bound);
  CAF_CHECK(judge_eval(s).why == reason::workers_busy);
  CAF_CHECK_EQUAL(judge_eval(s).rps, 100);
  CAF_CHECK_EQUAL(judge_eval(s).accept_queue_peak, 9u);
  s.service_p50_us = 2000;
  CAF_CHECK(judge_eval(s).what == verdict::in_band);
  s.service_p50_us.reset(); // none is over yet, and others wait
  CAF_CHECK(judge_eval(s).what == verdict::eval_bound);
  s.queue_wait_p50_us.reset();
  CAF_CHECK(judge_eval(s).what == verdict::in_band);
  s.busy = 1;
  CAF_CHECK(judge_eval(s).what == verdict::idle); // a third of three
  CAF_CHECK(judge_eval(s).allows_shrink);
  s.busy = 2;
  CAF_CHECK(judge_eval(s).what == verdict::in_band);
  s.at = now - 2s;
  CAF_CHECK(judge_eval(s).why == reason::samples_stale);
}

CAF_TEST(workers that get no core are not helped by more of them) {
  const scaler_options limits;
  auto s = four_workers();
  s.run_delay = limits.run_delay_high;
  CAF_CHECK(judge_eval(s).what == verdict::host_bound);
  CAF_CHECK(judge_eval(s).why == reason::host_contended);
  s.run_delay = limits.run_delay_high - 0.01;
  CAF_CHECK(judge_eval(s).what == verdict::eval_bound);
  auto machine = host();
  machine.throttled = limits.throttled_high;
  CAF_CHECK(judge_eval(s, machine).why == reason::cpu_throttled);
}

CAF_TEST(without schedstat a busy host that is not busy with workers is contended) {
  auto s = four_workers();
  s.run_delay.reset();
  auto machine = host();
  machine.idle_cores = 0.1;
  s.cpu_cores = 1.0;
  CAF_CHECK(judge_eval(s, machine).why == reason::host_contended);
  s.cpu_cores = 3.9;
  CAF_CHECK(judge_eval(s, machine).what == verdict::eval_bound);
  s.cpu_cores = 1.0;
  machine.idle_cores = 1.5;
  CAF_CHECK(judge_eval(s, machine).what == verdict::eval_bound);
}

CAF_TEST(a host that is missing says nothing about workers) {
  const auto result = classify_eval(four_workers(), std::nullopt, scaler_options{}, now);
  CAF_CHECK(result.what == verdict::unknown);
  CAF_CHECK(result.missing == std::vector<std::string>{"host"});
}
