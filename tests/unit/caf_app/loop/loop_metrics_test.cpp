#define CAF_SUITE loop_metrics
#include "caf_app/loop/loop_metrics.hpp"

#include <string>

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"

using namespace caf_app;
using namespace caf_app::test;

namespace {

/// The value in the line that begins with `key`; -1 if there is none.
double value_in(const std::string& text, const std::string& key) {
  const auto at = text.find("\n" + key + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + key.size() + 2));
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(loop_metrics_tests, loop_fixture)

  CAF_TEST(each loop shows its own numbers) {
    metrics registry;
    event_loop other{sys, {7, {}}};
    const loop_metrics first{registry, loop};
    const loop_metrics second{registry, other};
    recording_owner owner;
    owner.open(other, std::move(unix_pair().ours));
    const auto text = registry.exposition();
    CAF_CHECK_EQUAL(value_in(text, "caf_loop_sockets{loop=\"0\"}"), 0.0);
    CAF_CHECK_EQUAL(value_in(text, "caf_loop_sockets{loop=\"7\"}"), 1.0);
    for (const std::string name : {"busy_seconds", "utilisation_ratio", "lag_seconds"})
      for (const std::string index : {"0", "7"}) {
        const auto value = value_in(text, "caf_loop_" + name + "{loop=\"" + index + "\"}");
        CAF_CHECK(value >= 0 && value < 60);
      }
    owner.close(other);
  }

  CAF_TEST(a pass that lasts is lag already) {
    metrics registry;
    const loop_metrics shown{registry, loop};
    std::promise<void> entered, go_on;
    loop.post([&, blocked = go_on.get_future().share()] {
      entered.set_value();
      blocked.wait();
    });
    value_of(entered.get_future());
    const auto lag = [&] {
      return value_in(registry.exposition(), "caf_loop_lag_seconds{loop=\"0\"}");
    };
    while (lag() < 0.05)
      std::this_thread::yield();
    go_on.set_value();
    on_loop(loop, [] {});
    CAF_CHECK(value_in(registry.exposition(), "caf_loop_busy_seconds{loop=\"0\"}") >= 0.05);
  }

  CAF_TEST(nothing is shown any more once it is destroyed) {
    metrics registry;
    { const loop_metrics gone{registry, loop}; }
    CAF_CHECK_EQUAL(registry.exposition().find("caf_loop_sockets{"), std::string::npos);
  }

  CAF_TEST_FIXTURE_SCOPE_END()
