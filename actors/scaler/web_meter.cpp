#include "actors/scaler/web_meter.hpp"

#include <algorithm>
#include <utility>

namespace caf_app::scaler {

namespace {

double us(steady::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

std::optional<uint64_t> grown(std::optional<uint64_t> before, std::optional<uint64_t> now) {
  if (!before || !now || *now < *before)
    return std::nullopt;
  return *now - *before;
}

std::optional<double> busy_of(const loop_sums& before, const loop_sums& now) {
  const auto age = now.age - before.age;
  const auto waited = now.waited - before.waited;
  if (age <= steady::duration::zero() || waited < steady::duration::zero())
    return std::nullopt;
  return std::clamp(1.0 - us(waited) / us(age), 0.0, 1.0);
}

} // namespace

void web_meter::peek(const web_sums& now) {
  queue_peak_ = std::max(queue_peak_, now.accept_queue);
  open_.local += now.open.local;
  open_.upstream += now.open.upstream;
  open_.actor += now.open.actor;
  open_.eval += now.open.eval;
  open_.queue += now.open.queue;
  for (const auto& upstream : now.upstreams) {
    auto& peak = upstream_peaks_[upstream.name];
    peak = std::max(peak, upstream.queue_peak);
  }
  ++moments_;
}

std::vector<upstream_load> web_meter::load_of(const web_sums& before, const web_sums& now) const {
  std::vector<upstream_load> result;
  for (const auto& upstream : now.upstreams) {
    const auto was = std::find_if(before.upstreams.begin(), before.upstreams.end(),
                                  [&](const auto& each) { return each.name == upstream.name; });
    const auto again = was == before.upstreams.end() ? std::optional{upstream.again}
                                                     : grown(was->again, upstream.again);
    const auto peak = upstream_peaks_.find(upstream.name);
    result.push_back(
        {upstream.name, peak == upstream_peaks_.end() ? 0 : peak->second, again.value_or(0)});
  }
  return result;
}

std::optional<web_sample> web_meter::sample(const web_sums& now, steady::time_point at) {
  peek(now);
  auto before = std::exchange(before_, now);
  const auto before_at = std::exchange(before_at_, at);
  const auto queue_peak = std::exchange(queue_peak_, 0);
  const auto open = std::exchange(open_, {});
  const auto moments = static_cast<double>(std::exchange(moments_, 0));
  auto upstreams = before ? load_of(*before, now) : std::vector<upstream_load>{};
  upstream_peaks_.clear();
  if (!before || at <= before_at || before->loops.size() != now.loops.size())
    return std::nullopt;
  web_sample result;
  result.instance = instance_;
  result.incarnation = incarnation_;
  result.seq = ++seq_;
  result.at = at;
  result.window = at - before_at;
  double lag = 0;
  for (size_t i = 0; i < now.loops.size(); ++i) {
    const auto& loop = now.loops[i];
    result.loop_busy.push_back(busy_of(before->loops[i], loop));
    const auto delay = grown(before->loops[i].run_delay_ns, loop.run_delay_ns);
    result.loop_run_delay.push_back(
        delay ? std::optional{static_cast<double>(*delay) / 1000 / us(result.window)}
              : std::nullopt);
    lag = std::max({lag, us(loop.lag), us(loop.running_for)});
  }
  result.lag_us = lag;
  result.accept_queue_peak = queue_peak;
  result.connections = now.connections;
  result.idle_connections = now.idle_connections;
  result.requests = grown(before->requests, now.requests);
  result.in_flight = static_cast<uint64_t>(now.open.total());
  const auto each = us(result.window) / std::max(moments, 1.0);
  result.time = time_split{open.local * each, open.upstream * each, open.actor * each,
                           open.eval * each, open.queue * each};
  result.upstreams = std::move(upstreams);
  result.fpm_idle = now.fpm_idle;
  if (const auto cpu = grown(before->cpu_us, now.cpu_us))
    result.cpu_us = static_cast<double>(*cpu);
  result.rss_bytes = now.rss_bytes;
  return result;
}

} // namespace caf_app::scaler
