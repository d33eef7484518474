#include "actors/scaler/web_sensor_actor.hpp"

#include <time.h>
#include <unistd.h>

#include "actors/scaler/host_probe.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::scaler {

namespace {

constexpr int moments_per_period = 4; // what is open, or queued, is looked at more often

std::optional<uint64_t> cpu_us() {
  timespec spent{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0)
    return std::nullopt;
  return static_cast<uint64_t>(spent.tv_sec) * 1'000'000 +
         static_cast<uint64_t>(spent.tv_nsec) / 1000;
}

class sensor {
public:
  explicit sensor(web_sensor_options options)
      : options_(std::move(options)), meter_(options_.instance, options_.incarnation) {}

  void look() {
    web_sums now;
    options_.count(now);
    if (!is_due(moments_++)) {
      meter_.peek(now);
      return;
    }
    for (auto* loop : options_.loops)
      now.loops.push_back(sums_of(*loop));
    now.cpu_us = cpu_us();
    if (const auto text = read_text("/proc/self/statm"))
      now.rss_bytes = parse_rss_bytes(*text, static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)));
    if (const auto sample = meter_.sample(now, steady_now()))
      options_.publish(*sample);
  }

  std::chrono::milliseconds pause() const { return options_.period / moments_per_period; }

private:
  // A newcomer is taken for ready by its first sample, so that one covers a moment only.
  static bool is_due(uint64_t moment) { return moment <= 1 || moment % moments_per_period == 1; }

  static loop_sums sums_of(event_loop& loop) {
    const auto stats = loop.stats();
    loop_sums result;
    result.age = stats.age;
    result.waited = stats.waited;
    result.lag = loop.take_lag_max();
    result.running_for = stats.running_for;
    if (const auto text = read_text("/proc/self/task/" + std::to_string(loop.tid()) + "/schedstat"))
      result.run_delay_ns = parse_run_delay_ns(*text);
    return result;
  }

  web_sensor_options options_;
  web_meter meter_;
  uint64_t moments_ = 0;
};

} // namespace

caf::behavior web_sensor_actor(named_actor<"scaler.sensor">* self,
                               const web_sensor_options& options) {
  auto state = std::make_shared<sensor>(options);
  self->send(self, caf::tick_atom_v);
  return {[self, state](caf::tick_atom) {
    state->look();
    self->delayed_send(self, state->pause(), caf::tick_atom_v);
  }};
}

} // namespace caf_app::scaler
