#define CAF_SUITE rebalancer
#include "actors/scaler/rebalancer.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

instance_view view(unsigned number, uint64_t connections, double busy) {
  instance_view result;
  result.name = "n." + std::to_string(number);
  result.number = number;
  result.incarnation = "x";
  result.state = instance_state::ready;
  result.sample.emplace();
  result.sample->connections = connections;
  result.sample->loop_busy = {busy};
  return result;
}

struct fixture {
  rebalancer testee{scaler_options{}};
  steady::time_point now{1h};
  std::map<std::string, size_t> nudged;
  std::vector<std::string> attracted;

  void step(const std::vector<instance_view>& views, bool wanted = false) {
    now += 200ms;
    const auto orders = testee.step(views, wanted, now);
    for (const auto& [name, count] : orders.nudges)
      nudged[name] += count;
    if (!orders.attract.empty())
      attracted.push_back(orders.attract);
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(rebalancer_tests, fixture)

  CAF_TEST(a newcomer gets its share of a full instance bit by bit) {
    step({view(1, 8, 0.99)});
    step({view(1, 8, 0.99), view(2, 0, 0.0)});
    CAF_CHECK_EQUAL(attracted.size(), 1u);
    CAF_CHECK_EQUAL(attracted[0], "n.2");
    CAF_CHECK_EQUAL(nudged["n.1"], 1u);
    for (int i = 0; i < 5; ++i)
      step({view(1, 8, 0.99), view(2, 1, 0.1)});
    CAF_CHECK_EQUAL(nudged["n.1"], 3u); // a quarter per second
    for (int i = 0; i < 50; ++i)
      step({view(1, 8, 0.99), view(2, 2, 0.2)});
    CAF_CHECK_EQUAL(nudged["n.1"], 4u); // half of them
  }

  CAF_TEST(what is not full gives nothing away) {
    step({view(1, 8, 0.5)});
    step({view(1, 8, 0.5), view(2, 0, 0.0)});
    CAF_CHECK(nudged.empty());
    CAF_CHECK(attracted.empty());
  }

  CAF_TEST(the first look at a fleet is no news) {
    step({view(1, 8, 0.99), view(2, 0, 0.0)});
    CAF_CHECK(nudged.empty());
  }

  CAF_TEST(an imbalance is worked on three times a minute) {
    const std::vector<instance_view> views{view(1, 100, 0.99), view(2, 0, 0.0)};
    step(views);
    for (int i = 0; i < 250; ++i) // 50 s
      step(views, true);
    CAF_CHECK_EQUAL(attracted.size(), 3u);
    for (int i = 0; i < 100; ++i)
      step(views, true);
    CAF_CHECK_GREATER(attracted.size(), 3u);
  }

  CAF_TEST(one connection is never moved) {
    step({view(1, 1, 0.99)});
    step({view(1, 1, 0.99), view(2, 0, 0.0)});
    CAF_CHECK(nudged.empty());
  }

  CAF_TEST_FIXTURE_SCOPE_END()
