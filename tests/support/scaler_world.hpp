// A made-up host whose instances serve a made-up load, and a policy that scales them. Time is a
// number; whatever can go wrong is a field. What happened is kept, for properties to look at.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/scaler/classifier.hpp"
#include "actors/scaler/policy.hpp"

namespace caf_app::scaler::test {

using namespace std::chrono_literals;

/// What the world does at one moment.
struct weather {
  double load = 0;      ///< of loops: 1.5 keeps one and a half of them busy
  double waiting = 0;   ///< share of request time spent on others
  bool eval = false;    ///< ... namely on the evaluator
  bool full = false;    ///< an upstream is saturated
  bool fpm = false;     ///< PHP-FPM has no idle child
  bool backlog = false; ///< connects met a full backlog
  double run_delay = 0;
  double throttled = 0;
  uint64_t queue = 0;   ///< accept queue of a saturated instance
  bool skewed = false;  ///< all connections stick to the first instance
  bool useless = false; ///< another instance serves nothing more
  bool low_memory = false;
  bool no_host = false;
  bool no_samples = false;
  std::set<size_t> lost;           ///< instances that send nothing
  std::optional<double> bad_value; ///< instead of every loop_busy
  steady::duration jump{};         ///< of the clock, once
  steady::duration delay{};        ///< age of the samples
};

struct moment {
  steady::time_point now;
  size_t counted = 0; ///< before the decision
  size_t starting = 0;
  size_t draining = 0;
  decision made;
};

class world {
public:
  using script = std::function<weather(steady::duration since_start)>;

  static scaler_options quick() {
    scaler_options result;
    result.quiet_window = 5s;
    result.down_cooldown = 2s;
    result.gain_memory = 30s;
    result.failed_backoff = 2s;
    return result;
  }

  explicit world(script play, scaler_options with = quick(), size_t max = 3)
      : options(with), max_instances(max), play_(std::move(play)), classify_(with),
        brain(std::make_unique<policy>(with, max, now)) {
    add(instance_state::ready);
  }

  scaler_options options;
  size_t max_instances;
  steady::time_point now{1h};
  steady::duration start_time = 300ms;
  steady::duration drain_time = 1s;
  bool starts_fail = false;
  bool steering_fails = false;
  bool owner = true;
  std::vector<moment> history;

private:
  struct instance {
    unsigned number;
    instance_state state;
    steady::time_point started;
    steady::time_point due; // when its state changes
  };

  script play_;
  std::vector<instance> instances_;
  steady::duration since_start_{};
  uint64_t seq_ = 0;
  happenings events_;
  web_classifier classify_;

public:
  std::unique_ptr<policy> brain;

  void run(steady::duration time) {
    for (steady::duration t{}; t < time; t += options.period)
      step();
  }

  /// The scaler's actor died; the instances went on.
  void restart_scaler() {
    brain = std::make_unique<policy>(options, max_instances, now);
    classify_ = web_classifier{options};
  }

  /// A process died; its launcher starts it again.
  void crash(unsigned number) {
    for (auto& x : instances_)
      if (x.number == number && x.number != 1) {
        x.state = instance_state::starting;
        x.due = now + start_time;
      }
  }

  size_t counted() const {
    return static_cast<size_t>(std::count_if(instances_.begin(), instances_.end(), [](auto& x) {
      return x.state != instance_state::draining;
    }));
  }

  size_t count_of(instance_state state) const {
    return static_cast<size_t>(std::count_if(instances_.begin(), instances_.end(),
                                             [&](auto& x) { return x.state == state; }));
  }

  size_t actions(action what) const {
    return static_cast<size_t>(std::count_if(history.begin(), history.end(), [&](auto& m) {
      return m.made.what == what && m.made.applied;
    }));
  }

  bool said(reason why) const {
    return std::any_of(history.begin(), history.end(), [&](auto& m) { return m.made.why == why; });
  }

  bool judged(verdict what) const {
    return std::any_of(history.begin(), history.end(),
                       [&](auto& m) { return m.made.inputs.what == what; });
  }

  bool held(hold_rule rule) const {
    return std::any_of(history.begin(), history.end(),
                       [&](auto& m) { return m.made.held_by == rule; });
  }

  size_t most() const {
    size_t result = 0;
    for (const auto& m : history)
      result = std::max(result, m.counted);
    return std::max(result, counted());
  }

  void step() {
    now += options.period;
    since_start_ += options.period;
    auto w = play_(since_start_);
    now += w.jump;
    move_instances();
    tick t;
    t.now = now;
    const auto views = look(w);
    std::optional<host_sample> host;
    if (!w.no_host)
      host = host_of(w);
    t.inputs = classify_.classify(views, host, eval_load{w.eval ? 3U : 0U, false}, now);
    for (const auto& x : instances_)
      t.instances.push_back({name_of(x), x.number, x.state, w.lost.count(x.number) == 0, true,
                             x.number * 3 % 5, 10, x.started});
    t.events = std::exchange(events_, {});
    t.owner = owner;
    moment m{now, counted(), count_of(instance_state::starting), count_of(instance_state::draining),
             brain->step(t)};
    if (m.made.applied)
      act(m.made);
    history.push_back(std::move(m));
  }

private:
  static std::string name_of(const instance& x) {
    return x.number == 1 ? "edge-1" : "edge-1." + std::to_string(x.number);
  }

  void add(instance_state state) {
    unsigned number = 1;
    while (std::any_of(instances_.begin(), instances_.end(),
                       [&](auto& x) { return x.number == number; }))
      ++number;
    instances_.push_back({number, state, now, now + start_time});
  }

  void act(const decision& d) {
    if (d.what == action::grow) {
      for (auto& x : instances_)
        if (!d.victim.empty() && name_of(x) == d.victim) {
          x.state = instance_state::ready;
          return;
        }
      add(instance_state::starting);
    }
    if (d.what != action::shrink)
      return;
    for (auto& x : instances_)
      if (name_of(x) == d.victim) {
        if (steering_fails) {
          events_.steer_failed = true;
          return;
        }
        x.state = instance_state::draining;
        x.due = now + drain_time;
      }
  }

  void move_instances() {
    for (auto i = instances_.begin(); i != instances_.end();) {
      const auto due = now >= i->due;
      if (i->state == instance_state::draining && due) {
        i = instances_.erase(i);
        continue;
      }
      if (i->state == instance_state::starting && due) {
        if (starts_fail) {
          events_.start_failed = true;
          i = instances_.erase(i);
          continue;
        }
        i->state = instance_state::ready;
      }
      ++i;
    }
  }

  host_sample host_of(const weather& w) const {
    host_sample result;
    result.at = now - w.delay;
    result.cores = 2;
    result.idle_cores = 1.5;
    result.throttled = w.throttled;
    result.memory_available = w.low_memory ? 1 << 20 : 1 << 30;
    return result;
  }

  std::vector<instance_view> look(const weather& w) {
    const auto serving = count_of(instance_state::ready) + count_of(instance_state::draining);
    ++seq_;
    std::vector<instance_view> result;
    for (const auto& x : instances_) {
      instance_view view;
      view.name = name_of(x);
      view.number = x.number;
      view.incarnation = "i" + std::to_string(x.number);
      view.state = x.state;
      view.started = x.started;
      const auto share = w.skewed ? (x.number == 1 ? w.load : 0.0)
                                  : w.load / static_cast<double>(std::max<size_t>(serving, 1));
      if (x.state != instance_state::starting && w.lost.count(x.number) == 0 && !w.no_samples)
        view.sample = sample_of(w, view, share, serving);
      result.push_back(std::move(view));
    }
    return result;
  }

  web_sample sample_of(const weather& w, const instance_view& view, double share,
                       size_t serving) const {
    web_sample s;
    s.instance = view.name;
    s.incarnation = view.incarnation;
    s.seq = seq_;
    s.at = now - w.delay;
    s.window = options.period;
    s.state = view.state;
    const auto busy = std::clamp(share, 0.0, 1.0);
    s.loop_busy = {w.bad_value ? *w.bad_value : busy};
    s.loop_run_delay = {w.run_delay};
    s.lag_us = share > 1 ? 20'000 : 500;
    s.accept_queue_peak = share > 1 ? w.queue : 0;
    s.connections = 10;
    const auto served = w.useless ? 1.0 / static_cast<double>(serving) : busy;
    s.requests = static_cast<uint64_t>(served * 100);
    s.time = time_split{1000 * (1 - w.waiting), w.eval ? 0 : 1000 * w.waiting, 0,
                        w.eval ? 1000 * w.waiting : 0, 0};
    if (w.full || w.backlog)
      s.upstreams = {{"php", w.full ? 5U : 0U, w.backlog ? 2U : 0U}};
    if (w.fpm)
      s.fpm_idle = 0;
    return s;
  }
};

} // namespace caf_app::scaler::test
