#define CAF_SUITE worker_slots
#include "actors/scaler/worker_slots.hpp"

#include <algorithm>

#include <caf/test/unit_test.hpp>

using namespace caf_app::scaler;

namespace {

std::vector<std::string> names(const std::vector<instance_fact>& facts, instance_state state) {
  std::vector<std::string> result;
  for (const auto& fact : facts)
    if (fact.state == state)
      result.push_back(fact.name);
  return result;
}

using list = std::vector<std::string>;

} // namespace

CAF_TEST(places that nobody has are free ones) {
  worker_slots testee;
  const auto facts = testee.look({5, 0, 1, 1, 1});
  CAF_CHECK(
      (names(facts, instance_state::ready) == list{"busy", "bound", "unbound", "free", "free"}));
  for (size_t i = 0; i < facts.size(); ++i)
    CAF_CHECK_EQUAL(facts[i].number, i + 1);
}

CAF_TEST(a new slot is starting once) {
  worker_slots testee;
  testee.look({2, 0, 0, 0, 2});
  const auto grown = testee.look({4, 1, 0, 0, 2});
  CAF_CHECK((names(grown, instance_state::starting) == list{"busy", "free"}));
  CAF_CHECK(names(testee.look({4, 1, 0, 0, 2}), instance_state::starting).empty());
}

CAF_TEST(workers beyond the slots are draining) {
  worker_slots testee;
  testee.look({4, 0, 0, 0, 4});
  const auto facts = testee.look({2, 0, 0, 0, 4});
  CAF_CHECK_EQUAL(names(facts, instance_state::ready).size(), 2u);
  CAF_CHECK((names(facts, instance_state::draining) == list{"busy", "busy"}));
  CAF_CHECK(std::none_of(facts.begin(), facts.end(), [](auto& x) { return x.listens; }));
}

CAF_TEST(victims are free places then idle workers without a key then those with one) {
  const auto victim = [](const worker_counts& workers) {
    scaler_options options;
    options.quiet_window = milliseconds{0};
    options.down_cooldown = milliseconds{0};
    const caf_app::steady::time_point now{std::chrono::hours{1}};
    policy decides{options, 8, now};
    tick t;
    t.now = now;
    t.inputs.what = verdict::idle;
    t.inputs.allows_shrink = true;
    t.instances = worker_slots{}.look(workers);
    return decides.step(t).victim;
  };
  CAF_CHECK_EQUAL(victim({4, 0, 1, 1, 1}), "free");
  CAF_CHECK_EQUAL(victim({3, 0, 1, 1, 1}), "unbound");
  CAF_CHECK_EQUAL(victim({2, 0, 0, 1, 1}), "bound");
}
