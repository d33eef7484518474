#define CAF_SUITE policy
#include "actors/scaler/policy.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/scaler_world.hpp"
#include "support/seed.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace caf_app::scaler::test;

namespace {

using duration = steady::duration;

double seconds_of(duration t) { return std::chrono::duration<double>(t).count(); }

struct trace {
  std::string name;
  world::script play;
  duration length = 60s;
  std::function<void(world&, duration)> poke = nullptr; ///< before each step
  scaler_options options = world::quick();
  bool grows = true;      ///< may grow at all
  bool ends_idle = true;  ///< ends at the minimum
  bool must_grow = false; ///< has to
  bool changes_min = false;
};

/// A load that lasts until 20 s before the end.
world::script until(duration end, std::function<double(double)> load, weather also = {}) {
  return [=](duration t) {
    auto result = also;
    result.load = t < end ? load(seconds_of(t)) : 0;
    if (t >= end) {
      result.waiting = 0;
      result.full = result.fpm = result.backlog = result.eval = false;
      result.run_delay = result.throttled = 0;
    }
    return result;
  };
}

world::script always(weather what) {
  return [what](duration) { return what; };
}

double saw(double t, double period, double low, double high) {
  const auto phase = std::fmod(t, period) / period;
  return low + (high - low) * phase;
}

weather with(std::function<void(weather&)> change) {
  weather result;
  change(result);
  return result;
}

void add_loads(std::vector<trace>& out) {
  for (double speed : {0.05, 0.2, 1.0})
    out.push_back({"ramp", until(40s, [=](double t) { return std::min(speed * t, 3.0); }), 80s});
  for (double level : {0.3, 0.7, 0.9, 1.5, 2.5, 4.0})
    out.push_back({"step", until(30s, [=](double) { return level; }), 70s, nullptr, world::quick(),
                   true, true, level >= 0.9});
  for (double width : {0.3, 1.0, 3.0})
    out.push_back(
        {"spike", until(40s, [=](double t) { return t > 5 && t < 5 + width ? 3.0 : 0.1; }), 80s});
  for (double period : {0.5, 1.0, 4.0, 9.0}) {
    out.push_back(
        {"saw at up", until(40s, [=](double t) { return saw(t, period, 0.65, 0.85); }), 80s});
    out.push_back(
        {"saw at down", until(40s, [=](double t) { return saw(t, period, 0.25, 0.45); }), 80s});
  }
  for (double gap : {3.0, 8.0, 20.0})
    out.push_back({"burst train",
                   until(
                       60s, [=](double t) { return std::fmod(t, gap + 5) < 5 ? 2.5 : 0.0; },
                       with([](weather& w) { w.queue = 200; })),
                   120s, nullptr, world::quick(), true, true, true});
}

void add_faults(std::vector<trace>& out) {
  const auto gap = [](std::function<void(weather&)> change, double load) {
    return [=](duration t) {
      weather w;
      w.load = t < 50s ? load : 0.1;
      if (t > 15s && t < 40s)
        change(w);
      return w;
    };
  };
  for (double load : {0.1, 1.5}) {
    out.push_back({"gap of one instance", gap([](weather& w) { w.lost = {2}; }, load), 90s});
    out.push_back({"gap of the first", gap([](weather& w) { w.lost = {1}; }, load), 90s});
    out.push_back({"gap of the host", gap([](weather& w) { w.no_host = true; }, load), 90s});
    out.push_back({"gap of all", gap([](weather& w) { w.no_samples = true; }, load), 90s});
    out.push_back({"stale", gap([](weather& w) { w.delay = 2s; }, load), 90s});
    out.push_back({"not a number", gap([](weather& w) { w.bad_value = std::nan(""); }, load), 90s});
    out.push_back({"reversed counters", gap([](weather& w) { w.bad_value = -0.5; }, load), 90s});
    for (const auto jump : {duration{-30s}, duration{30s}, duration{24h}})
      out.push_back({"clock jump",
                     [=](duration t) {
                       weather w;
                       w.load = t < 50s ? load : 0.1;
                       if (t == 20s)
                         w.jump = jump;
                       return w;
                     },
                     90s});
  }
  for (double load : {0.9, 2.5}) {
    out.push_back({"start failure", until(40s, [=](double) { return load; }), 80s,
                   [](world& w, duration) { w.starts_fail = true; }, world::quick(), true});
    out.push_back({"slow start", until(40s, [=](double) { return load; }), 80s,
                   [](world& w, duration) { w.start_time = 4s; }, world::quick(), true, true,
                   true});
    out.push_back(
        {"crash loop", until(40s, [=](double) { return load; }), 80s, [](world& w, duration t) {
           if (t < 40s && t.count() % std::chrono::nanoseconds{2s}.count() == 0)
             w.crash(2);
         }});
  }
  out.push_back({"revoked drain",
                 [](duration t) {
                   weather w;
                   w.load = t < 10s ? 1.5 : t < 17s ? 0.1 : t < 25s ? 1.8 : 0.1;
                   return w;
                 },
                 90s, [](world& w, duration) { w.drain_time = 20s; }, world::quick(), true, true,
                 true});
  out.push_back({"steering fails at first", until(20s, [](double) { return 1.5; }), 120s,
                 [](world& w, duration t) { w.steering_fails = t < 60s; }, world::quick(), true,
                 true, true});
}

void add_limits(std::vector<trace>& out) {
  const auto bound = [&](const char* name, double load, std::function<void(weather&)> change) {
    out.push_back({name,
                   until(
                       40s, [=](double) { return load; }, with(change)),
                   80s, nullptr, world::quick(), false});
  };
  for (double load : {0.2, 0.6}) {
    bound("upstream bound", load, [](weather& w) {
      w.waiting = 0.9;
      w.full = true;
    });
    bound("slow upstream", load, [](weather& w) { w.waiting = 0.9; });
    bound("fpm full", load, [](weather& w) {
      w.waiting = 0.8;
      w.fpm = true;
    });
    bound("backlog full", load, [](weather& w) {
      w.waiting = 0.8;
      w.backlog = true;
    });
    bound("eval bound", load, [](weather& w) {
      w.waiting = 0.9;
      w.eval = true;
    });
  }
  for (double load : {0.9, 3.0}) {
    bound("host bound", load, [](weather& w) { w.run_delay = 0.5; });
    bound("throttled", load, [](weather& w) { w.throttled = 0.3; });
    bound("low memory", load, [](weather& w) {
      w.low_memory = true;
      w.queue = 500;
    });
  }
  out.push_back({"mixed with gain",
                 until(
                     40s, [](double) { return 2.5; }, with([](weather& w) { w.waiting = 0.6; })),
                 80s, nullptr, world::quick(), true, true, true});
  out.push_back({"mixed without gain",
                 until(
                     40s, [](double) { return 2.5; }, with([](weather& w) {
                       w.waiting = 0.6;
                       w.useless = true;
                     })),
                 80s, nullptr, world::quick(), true, true, true});
  for (double load : {1.2, 3.0})
    out.push_back(
        {"skew",
         until(
             40s, [=](double) { return load; }, with([](weather& w) { w.skewed = true; })),
         80s, nullptr, world::quick(), true, true, true});
}

void add_orders(std::vector<trace>& out) {
  for (size_t count : {1, 2, 3})
    out.push_back({"pin", until(50s, [=](double) { return 1.0; }), 120s, [=](world& w, duration t) {
                     if (t == 10s)
                       w.brain->pin(count);
                     if (t == 40s)
                       w.brain->pin(std::nullopt);
                   }});
  for (double load : {0.1, 2.5}) {
    trace dry{"dry run",
              until(
                  40s, [=](double) { return load; }, with([](weather& w) { w.queue = 300; })),
              80s};
    dry.options.dry_run = true;
    dry.grows = false;
    out.push_back(dry);
    out.push_back({"two scalers", until(40s, [=](double) { return load; }), 80s,
                   [](world& w, duration) { w.owner = false; }, world::quick(), false});
    out.push_back({"restart of the scaler", until(40s, [=](double) { return load; }), 100s,
                   [](world& w, duration t) {
                     if (t == 20s || t == 45s)
                       w.restart_scaler();
                   }});
  }
}

std::vector<trace> all_traces(uint32_t seed) {
  std::vector<trace> result;
  add_loads(result);
  add_faults(result);
  add_limits(result);
  add_orders(result);
  for (uint32_t i = 0; i < 12; ++i)
    result.push_back({"random walk",
                      [seed, i, level = 0.5, random = std::mt19937{seed + i}](duration t) mutable {
                        level = std::clamp(
                            level + (static_cast<double>(random() % 1000) / 1000 - 0.5), 0.0, 4.0);
                        weather w;
                        w.load = t < 60s ? level : 0;
                        w.queue = random() % 20 == 0 ? 100 : 0;
                        if (random() % 50 == 0)
                          w.lost = {1 + random() % 3};
                        return w;
                      },
                      120s});
  return result;
}

world run(const trace& what) {
  world result{what.play, what.options};
  for (duration t{}; t < what.length; t += what.options.period) {
    if (what.poke)
      what.poke(result, t);
    result.step();
  }
  return result;
}

bool is_forced(const decision& d) {
  return d.why == reason::no_gain || d.why == reason::pinned || d.why == reason::above_max;
}

/// CAF_REQUIRE writes a line each time, which is too slow for every moment.
void must(bool holds, int line) {
  if (!holds)
    CAF_FAIL("a property does not hold: line " << line);
}

void check_moments(const world& w, const trace& what) {
  std::optional<steady::time_point> grown;
  const moment* before = nullptr;
  for (const auto& m : w.history) {
    const auto jumped = before && (m.now < before->now || m.now - before->now > 2s);
    before = &m;
    if (jumped)
      grown.reset();
    must(m.counted >= what.options.min_instances && m.counted <= w.max_instances, __LINE__);
    must(m.starting <= 1 || what.name == "crash loop", __LINE__);
    must(m.draining <= 1, __LINE__);
    must(!to_string(m.made.why).empty(), __LINE__);
    must(!to_string(m.made.inputs.what).empty(), __LINE__);
    must(m.made.inputs.what == verdict::unknown || m.made.inputs.u.has_value(), __LINE__);
    must(m.made.wanted <= m.counted + 1 && m.made.wanted + 1 >= m.counted, __LINE__);
    if (what.options.dry_run)
      must(!m.made.applied, __LINE__);
    if (m.made.what == action::shrink && !is_forced(m.made)) {
      must(m.made.inputs.what != verdict::unknown, __LINE__);
      must(m.made.inputs.missing.empty(), __LINE__);
      if (grown)
        must(m.now - *grown >= what.options.quiet_window, __LINE__);
    }
    if (m.made.what == action::grow && m.made.applied)
      grown = m.now;
  }
}

} // namespace

CAF_TEST(there are enough traces) { CAF_CHECK_GREATER_OR_EQUAL(all_traces(1).size(), 60u); }

CAF_TEST(every trace holds the properties) {
  const auto seed = test_seed();
  for (const auto& what : all_traces(seed)) {
    CAF_MESSAGE(what.name);
    const auto w = run(what);
    check_moments(w, what);
    if (!what.grows)
      CAF_REQUIRE_EQUAL(w.actions(action::grow), 0u);
    if (what.must_grow)
      CAF_REQUIRE_GREATER_OR_EQUAL(w.actions(action::grow), 1u);
    if (what.ends_idle)
      CAF_REQUIRE_EQUAL(w.counted(), what.options.min_instances);
  }
}

CAF_TEST(the same trace gives the same decisions) {
  const auto seed = test_seed();
  const auto first = all_traces(seed);
  const auto second = all_traces(seed);
  for (size_t i = 0; i < first.size(); ++i) {
    const auto a = run(first[i]);
    const auto b = run(second[i]);
    CAF_REQUIRE_EQUAL(a.history.size(), b.history.size());
    for (size_t k = 0; k < a.history.size(); ++k)
      must(a.history[k].made == b.history[k].made, __LINE__);
  }
}

CAF_TEST(more load never means fewer instances) {
  size_t before = 1;
  for (double load = 0.1; load < 5; load += 0.1) {
    world w{always(with([=](weather& x) { x.load = load; }))};
    w.run(40s);
    CAF_REQUIRE_GREATER_OR_EQUAL(w.most(), before);
    before = w.most();
  }
  CAF_CHECK_EQUAL(before, 3u);
}

CAF_TEST(growth takes three samples in a row and a pause after each newcomer) {
  world w{always(with([](weather& x) { x.load = 4; }))};
  w.run(600ms);
  CAF_CHECK_EQUAL(w.counted(), 2u);
  CAF_CHECK_EQUAL(w.actions(action::grow), 1u);
  CAF_CHECK(w.history[1].made.held_by == hold_rule::up_samples);
  w.run(20s);
  CAF_CHECK_EQUAL(w.counted(), 3u);
  CAF_CHECK(w.held(hold_rule::change_in_progress));
  CAF_CHECK(w.held(hold_rule::at_max));
}

CAF_TEST(a panic grows at the first sample and again when the newcomer is ready) {
  world w{always(with([](weather& x) {
    x.load = 10;
    x.queue = 64;
  }))};
  w.step();
  CAF_CHECK(w.history.back().made.what == action::grow);
  CAF_CHECK(w.history.back().made.why == reason::panic);
  w.run(1s);
  CAF_CHECK_EQUAL(w.counted(), 3u);
}

CAF_TEST(a queue below the limit is no panic) {
  for (uint64_t queue : {63, 64, 65}) {
    world w{always(with([=](weather& x) {
      x.load = 10;
      x.queue = queue;
    }))};
    w.step();
    CAF_CHECK_EQUAL(w.actions(action::grow), queue >= 64 ? 1u : 0u);
  }
}

CAF_TEST(a saw at the threshold does not flap) {
  for (double period : {0.4, 1.0, 2.0, 7.0}) {
    world w{[=](duration t) {
      return with([&](weather& x) { x.load = saw(seconds_of(t), period, 0.65, 0.85); });
    }};
    w.run(120s);
    CAF_CHECK_LESS_OR_EQUAL(w.actions(action::grow) + w.actions(action::shrink), 3u);
  }
}

CAF_TEST(a newcomer that adds nothing goes again and is not tried again soon) {
  world w{always(with([](weather& x) {
    x.load = 4;
    x.useless = true;
  }))};
  w.run(20s);
  CAF_CHECK(w.said(reason::no_gain));
  CAF_CHECK_EQUAL(w.counted(), 1u);
  CAF_CHECK_EQUAL(w.actions(action::grow), 1u);
  CAF_CHECK(w.held(hold_rule::no_gain));
  w.run(30s);
  CAF_CHECK_EQUAL(w.actions(action::grow), 2u);
}

CAF_TEST(bounds win over the verdict) {
  auto options = world::quick();
  options.min_instances = 2;
  world w{always({}), options};
  w.run(30s);
  CAF_CHECK_EQUAL(w.counted(), 2u);
  CAF_CHECK(w.said(reason::below_min));
  options.min_instances = 1;
  w.brain->configure(options, 1);
  w.max_instances = 1;
  w.run(3s);
  CAF_CHECK_EQUAL(w.counted(), 1u);
  CAF_CHECK(w.said(reason::above_max));
}

CAF_TEST(a victim that cannot leave its port is told of and tried again) {
  world w{always({})};
  w.brain->pin(2);
  w.run(30s);
  CAF_CHECK_EQUAL(w.counted(), 2u);
  w.steering_fails = true;
  w.brain->pin(1);
  w.run(30s);
  CAF_CHECK_EQUAL(w.counted(), 2u);
  const auto told = std::count_if(w.history.begin(), w.history.end(), [](const auto& x) {
    return x.made.what == action::hold && x.made.why == reason::steer_failed;
  });
  const auto tried = std::count_if(w.history.begin(), w.history.end(),
                                   [](const auto& x) { return x.made.what == action::shrink; });
  CAF_CHECK(told > 1);
  CAF_CHECK(tried >= told);
  w.steering_fails = false;
  w.run(10s);
  CAF_CHECK_EQUAL(w.counted(), 1u);
}

CAF_TEST(a pin is within bounds and ends with auto) {
  world w{always({})};
  CAF_CHECK(!w.brain->pin(0));
  CAF_CHECK(w.brain->pin(1));
  CAF_CHECK(w.brain->pin(3));
  CAF_CHECK(!w.brain->pin(4));
  w.run(2s);
  CAF_CHECK_EQUAL(w.counted(), 3u);
  w.run(30s);
  CAF_CHECK_EQUAL(w.counted(), 3u);
  CAF_CHECK(w.history.back().made.what == action::hold);
  CAF_CHECK(w.history.back().made.why == reason::pinned);
  w.brain->pin(std::nullopt);
  w.run(30s);
  CAF_CHECK_EQUAL(w.counted(), 1u);
}

CAF_TEST(a failed start pauses longer each time) {
  world w{always(with([](weather& x) { x.load = 3; }))};
  w.starts_fail = true;
  w.run(60s);
  CAF_CHECK(w.held(hold_rule::failed_backoff));
  const auto tries = w.actions(action::grow);
  CAF_CHECK(tries >= 3u && tries <= 6u);
  w.starts_fail = false;
  w.run(80s);
  CAF_CHECK_GREATER_OR_EQUAL(w.counted(), 2u);
}

CAF_TEST(a growth soon after a shrink makes the next shrink wait longer) {
  world w{[](duration t) {
    return with([&](weather& x) { x.load = std::fmod(seconds_of(t), 20) < 6 ? 1.8 : 0.1; });
  }};
  w.run(100s);
  CAF_CHECK_GREATER_OR_EQUAL(w.brain->penalty(), 2u);
  CAF_CHECK_LESS_OR_EQUAL(w.brain->penalty(), 8u);
}

CAF_TEST(a shrink waits for its cooldown after a growth as well) {
  auto options = world::quick();
  options.quiet_window = 400ms;
  options.down_cooldown = 6s;
  world w{until(2s, [](double) { return 1.5; }), options};
  w.run(30s);
  CAF_REQUIRE_EQUAL(w.actions(action::grow), 1u);
  CAF_REQUIRE_EQUAL(w.actions(action::shrink), 1u);
  const auto when = [&](action what) {
    return std::find_if(w.history.begin(), w.history.end(),
                        [&](const moment& m) { return m.made.what == what && m.made.applied; })
        ->now;
  };
  const auto waited = when(action::shrink) - when(action::grow);
  CAF_CHECK(waited >= 6s);
  CAF_CHECK(waited < 6s + 2 * options.period);
}

CAF_TEST(a restarted scaler keeps the count and waits before it shrinks) {
  world w{always(with([](weather& x) { x.load = 2.6; }))};
  w.run(20s);
  CAF_REQUIRE_EQUAL(w.counted(), 3u);
  w.restart_scaler();
  w.step();
  CAF_CHECK_EQUAL(w.counted(), 3u);
  CAF_CHECK_EQUAL(w.brain->wanted(), 3u);
}

CAF_TEST(the victim is unhealthy or has least to lose and is never the node) {
  const auto now = steady::time_point{1h};
  policy testee{world::quick(), 4, now - 1h};
  tick t;
  t.now = now;
  t.inputs.n = 4;
  t.inputs.u = t.inputs.u_max = t.inputs.u_min = 0;
  t.inputs.what = verdict::idle;
  t.inputs.allows_shrink = true;
  t.instances = {{"n", 1, instance_state::ready, true, true, 0, 0, now - 9s},
                 {"n.2", 2, instance_state::ready, true, true, 1, 5, now - 8s},
                 {"n.3", 3, instance_state::ready, true, true, 1, 4, now - 7s},
                 {"n.4", 4, instance_state::ready, true, true, 2, 1, now - 6s}};
  const auto victim = [&](tick x) {
    policy fresh{world::quick(), 4, now - 1h};
    fresh.pin(3);
    return fresh.step(x).victim;
  };
  CAF_CHECK_EQUAL(victim(t), "n.3");
  t.instances[2].connections = 5;
  CAF_CHECK_EQUAL(victim(t), "n.3"); // the youngest of equals
  t.instances[3].in_flight = 0;
  CAF_CHECK_EQUAL(victim(t), "n.4");
  t.instances[1].healthy = false;
  CAF_CHECK_EQUAL(victim(t), "n.2");
}
