#define CAF_SUITE replay
#include "actors/scaler/replay.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/scaler_world.hpp"
#include "support/seed.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace caf_app::scaler::test;

namespace {

/// Any tick at all.
tick random_tick(std::mt19937& random) {
  const auto maybe = [&] {
    return random() % 3 == 0 ? std::nullopt : std::optional{static_cast<double>(random()) / 1e9};
  };
  tick x;
  x.now = steady::time_point{steady::duration{static_cast<int64_t>(random()) * 1'000'003}};
  x.inputs.what = static_cast<verdict>(random() % verdict_count);
  x.inputs.why = static_cast<reason>(random() % reason_count);
  x.inputs.n = random() % 5;
  x.inputs.u = maybe();
  x.inputs.u_max = maybe();
  x.inputs.u_min = maybe();
  x.inputs.w = maybe().value_or(0.1);
  x.inputs.run_delay = maybe();
  x.inputs.idle_cores = maybe();
  x.inputs.rps = maybe().value_or(1.0 / 3);
  x.inputs.memory_available = random() % 2 ? std::optional<uint64_t>{random()} : std::nullopt;
  x.inputs.allows_shrink = random() % 2;
  for (auto n = random() % 3; n > 0; --n)
    x.inputs.missing.push_back("edge-1." + std::to_string(n));
  for (unsigned i = 1; i <= random() % 4; ++i)
    x.instances.push_back({"edge-1." + std::to_string(i), i,
                           static_cast<instance_state>(random() % 3), random() % 2 == 0,
                           random() % 2 == 0, random(), random(),
                           steady::time_point{steady::duration{random()}}});
  x.events = {random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
  x.owner = random() % 2;
  return x;
}

} // namespace

CAF_TEST(a tick comes back exactly) {
  std::mt19937 random{test_seed()};
  for (int i = 0; i < 500; ++i) {
    const auto before = random_tick(random);
    const auto line = tick_line(before);
    const auto after = parse_tick(line);
    CAF_REQUIRE(after);
    CAF_REQUIRE(after->inputs == before.inputs);
    CAF_REQUIRE(after->instances == before.instances);
    CAF_REQUIRE(after->now == before.now && after->owner == before.owner);
    CAF_REQUIRE_EQUAL(tick_line(*after), line);
  }
}

CAF_TEST(a line that was cut or has more is refused) {
  std::mt19937 random{test_seed()};
  const auto line = tick_line(random_tick(random));
  for (size_t i = 0; i + 1 < line.size(); ++i)
    if (line[i] == ' ')
      CAF_REQUIRE(!parse_tick(line.substr(0, i)));
  CAF_CHECK(!parse_tick(line + " 1"));
  CAF_CHECK(!parse_tick(""));
  CAF_CHECK(!parse_tick("tick x"));
}

CAF_TEST(recorded ticks decide the same again) {
  std::mt19937 random{test_seed()};
  const auto options = world::quick();
  std::vector<std::string> lines{start_line(steady::time_point{1h}, 3)};
  policy brain{options, 3, steady::time_point{1h}};
  std::vector<decision> wanted;
  world w{[&](steady::duration) {
    weather x;
    x.load = static_cast<double>(random() % 400) / 100;
    x.queue = random() % 10 == 0 ? 100 : 0;
    return x;
  }};
  for (int i = 0; i < 600; ++i) {
    w.step();
    tick t;
    t.now = w.history.back().now;
    t.inputs = w.history.back().made.inputs;
    t.instances = {{"n", 1, instance_state::ready, true, true, 1, 2, t.now},
                   {"n.2", 2, instance_state::ready, true, true, 1, 2, t.now}};
    if (i == 200 || i == 300) {
      const auto count = i == 200 ? std::optional<size_t>{3} : std::nullopt;
      brain.pin(count);
      lines.push_back(pin_line(count));
    }
    lines.push_back(tick_line(t));
    wanted.push_back(brain.step(t));
  }
  const auto again = replay(lines, options);
  CAF_REQUIRE(again);
  CAF_CHECK(*again == wanted);
}

CAF_TEST(a bad line is named) {
  const auto result = replay({start_line(steady::time_point{1h}, 3), "nonsense"}, world::quick());
  CAF_REQUIRE(!result);
  CAF_CHECK(describe(result.error()).find("line 2") != std::string::npos);
}
