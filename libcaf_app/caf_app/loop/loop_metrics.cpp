#include "caf_app/loop/loop_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "caf_app/loop/event_loop.hpp"
#include "caf_app/loop/utilisation.hpp"

namespace caf_app {

namespace {

double seconds(std::chrono::nanoseconds span) {
  return std::chrono::duration<double>{span}.count();
}

} // namespace

loop_metrics::loop_metrics(metrics& registry, const event_loop& loop) {
  const auto observe = [&](const char* name, const char* help, std::function<double()> read) {
    observers_.push_back(
        registry.observe(name, help, std::move(read), {{"loop", std::to_string(loop.index())}}));
  };
  observe("caf_loop_busy_seconds", "Time that the loop was not waiting for events.", [&loop] {
    const auto now = loop.stats();
    return seconds(now.age - now.waited);
  });
  observe("caf_loop_utilisation_ratio", "Busy share of the time since an earlier scrape.",
          [&loop, meter = std::make_shared<utilisation>()] {
            const auto now = loop.stats();
            return meter->at(now.age, now.waited);
          });
  observe("caf_loop_lag_seconds", "Worst recent lateness of a tick, or age of a longer pass.",
          [&loop] {
            const auto now = loop.stats();
            return seconds(std::max(now.lag_recent, now.running_for));
          });
  observe("caf_loop_sockets", "Open sockets of the loop.",
          [&loop] { return static_cast<double>(loop.stats().sockets); });
}

} // namespace caf_app
