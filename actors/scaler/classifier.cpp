#include "actors/scaler/classifier.hpp"

#include <algorithm>
#include <cmath>

namespace caf_app::scaler {

namespace {

constexpr size_t full_samples = 2; // an upstream counts as saturated if both of the last are

bool usable(const std::optional<double>& x) { return x && std::isfinite(*x) && *x >= 0; }

/// What the others would have with one less.
double projected(double u, size_t n) {
  return u * static_cast<double>(n) / static_cast<double>(std::max<size_t>(n, 2) - 1);
}

bool is_fresh(steady::time_point at, steady::time_point now, const scaler_options& options) {
  return at <= now && now - at <= options.stale_after;
}

double seconds_of(steady::duration d) { return std::chrono::duration<double>(d).count(); }

} // namespace

struct web_classifier::sums {
  double busy = 0;
  size_t loops = 0;
  double run_delay = 0;
  size_t run_delays = 0;
  double cpu_cores = 0;
  size_t busy_loops = 0;
  time_split time;
  std::optional<reason> full_upstream;
};

void web_classifier::note_upstreams(const web_sample& sample, sums& sum) {
  std::optional<reason> why;
  for (const auto& upstream : sample.upstreams) {
    if (upstream.again > 0)
      why = reason::backlog_full;
    else if (upstream.queue_peak > 0 && !why)
      why = reason::upstream_queue;
  }
  if (sample.fpm_idle && *sample.fpm_idle == 0)
    why = reason::fpm_full;
  auto& history = fulls_[sample.instance];
  auto& seen = last_seq_[sample.instance];
  if (history.empty() || sample.seq != seen) {
    seen = sample.seq;
    history.push_back(why.has_value());
    if (history.size() > full_samples)
      history.erase(history.begin());
  }
  if (why && history.size() == full_samples &&
      std::all_of(history.begin(), history.end(), [](bool full) { return full; }))
    sum.full_upstream = why;
}

/// Adds one ready instance to what is known. @returns false if its sample cannot be used
bool web_classifier::add(const web_sample& sample, sums& sum, reading& result) {
  double most = -1;
  for (const auto& busy : sample.loop_busy) {
    if (!usable(busy))
      return false;
    most = std::max(most, std::min(*busy, 1.0));
  }
  if (most < 0)
    return false;
  for (const auto& busy : sample.loop_busy) {
    sum.busy += std::min(*busy, 1.0);
    sum.busy_loops += *busy >= options_.up ? 1 : 0;
    ++sum.loops;
  }
  result.u_max = std::max(result.u_max.value_or(0), most);
  result.u_min = std::min(result.u_min.value_or(1), most);
  for (const auto& delay : sample.loop_run_delay)
    if (usable(delay)) {
      sum.run_delay += std::min(*delay, 1.0);
      ++sum.run_delays;
    }
  if (sample.window > steady::duration::zero()) {
    result.rps += static_cast<double>(sample.requests.value_or(0)) / seconds_of(sample.window);
    if (usable(sample.cpu_us))
      sum.cpu_cores += *sample.cpu_us / 1e6 / seconds_of(sample.window);
  }
  result.accept_queue_peak =
      std::max(result.accept_queue_peak, sample.accept_queue_peak.value_or(0));
  if (usable(sample.lag_us))
    result.lag_us = std::max(result.lag_us, *sample.lag_us);
  if (sample.time) {
    sum.time.local += sample.time->local;
    sum.time.upstream += sample.time->upstream;
    sum.time.actor += sample.time->actor;
    sum.time.eval += sample.time->eval;
    sum.time.queue += sample.time->queue;
  }
  note_upstreams(sample, sum);
  return true;
}

reading web_classifier::classify(const std::vector<instance_view>& instances,
                                 const std::optional<host_sample>& host,
                                 const std::optional<eval_load>& evaluators,
                                 steady::time_point now) {
  reading result;
  sums sum;
  bool stale = false;
  for (const auto& instance : instances) {
    if (instance.state != instance_state::ready)
      continue;
    ++result.n;
    const auto& sample = instance.sample;
    const auto known = sample && sample->incarnation == instance.incarnation;
    if (known && is_fresh(sample->at, now, options_) && add(*sample, sum, result))
      continue;
    stale = stale || (known && !is_fresh(sample->at, now, options_));
    result.missing.push_back(instance.name);
  }
  if (sum.loops > 0)
    result.u = sum.busy / static_cast<double>(sum.loops);
  if (sum.run_delays > 0)
    result.run_delay = sum.run_delay / static_cast<double>(sum.run_delays);
  const auto total = sum.time.total();
  result.w = total > 0 ? sum.time.waiting() / total : 0;
  if (host) {
    result.idle_cores = host->idle_cores;
    result.memory_available = host->memory_available;
  }
  if (!host || !is_fresh(host->at, now, options_)) {
    stale = stale || host;
    result.missing.emplace_back("host");
  }
  if (result.n == 0 || !result.u || !result.missing.empty()) {
    result.what = verdict::unknown;
    result.why = stale ? reason::samples_stale : reason::samples_missing;
    return result;
  }
  judge(result, sum, *host, evaluators);
  return result;
}

/// @returns host_contended or cpu_throttled; low_load if neither
reason web_classifier::contention(const sums& sum, const host_sample& host) const {
  if (usable(host.throttled) && *host.throttled >= options_.throttled_high)
    return reason::cpu_throttled;
  if (sum.run_delays > 0)
    return sum.run_delay / static_cast<double>(sum.run_delays) >= options_.run_delay_high
               ? reason::host_contended
               : reason::low_load;
  const auto starved = usable(host.idle_cores) && *host.idle_cores < options_.idle_cores_low &&
                       sum.busy_loops > 0 &&
                       sum.cpu_cores / static_cast<double>(sum.busy_loops) < options_.own_cores_low;
  return starved ? reason::host_contended : reason::low_load;
}

void web_classifier::judge(reading& x, const sums& sum, const host_sample& host,
                           const std::optional<eval_load>& evaluators) const {
  const auto set = [&x](verdict what, reason why) {
    x.what = what;
    x.why = why;
  };
  const auto u = *x.u;
  const auto waits = x.w >= options_.waiting_share;
  const auto contended = contention(sum, host);
  const auto fits = projected(u, x.n) <= options_.down;
  if (x.n > 1 && *x.u_max >= options_.up && *x.u_min <= options_.down)
    set(verdict::imbalance, reason::skewed);
  else if (u >= options_.up && contended != reason::low_load)
    set(verdict::host_bound, contended);
  else if (u >= options_.up && (sum.full_upstream || waits))
    set(verdict::mixed, reason::loop_and_upstream);
  else if (u >= options_.up)
    set(verdict::web_bound,
        x.accept_queue_peak >= options_.panic_queue ? reason::accept_queue : reason::loop_busy);
  else if (waits && sum.time.eval >= std::max(sum.time.upstream, sum.time.actor) && evaluators &&
           evaluators->queue > 0)
    set(verdict::eval_bound, evaluators->at_max ? reason::eval_at_max : reason::eval_queue);
  else if (waits && sum.full_upstream)
    set(verdict::upstream_bound, *sum.full_upstream);
  else if (waits)
    set(verdict::slow_upstream, reason::upstream_wait);
  else if (fits)
    set(verdict::idle, reason::low_load);
  else
    set(verdict::in_band, reason::between_thresholds);
  x.allows_shrink = fits && (x.what == verdict::idle || x.what == verdict::upstream_bound ||
                             x.what == verdict::slow_upstream || x.what == verdict::eval_bound);
}

namespace {

/// As for loops, with the time that busy workers were runnable without a core.
reason contention_of(const eval_sample& sample, const host_sample& host,
                     const scaler_options& options) {
  if (usable(host.throttled) && *host.throttled >= options.throttled_high)
    return reason::cpu_throttled;
  if (usable(sample.run_delay))
    return *sample.run_delay >= options.run_delay_high ? reason::host_contended : reason::low_load;
  const auto starved = usable(host.idle_cores) && *host.idle_cores < options.idle_cores_low &&
                       usable(sample.cpu_cores) &&
                       *sample.cpu_cores < options.own_cores_low * *sample.busy;
  return starved ? reason::host_contended : reason::low_load;
}

void judge_eval(reading& x, const eval_sample& sample, const host_sample& host,
                const scaler_options& options) {
  const auto set = [&](verdict what, reason why) {
    x.what = what;
    x.why = why;
  };
  const auto u = *x.u;
  const auto contended = contention_of(sample, host, options);
  const auto waits_longer = usable(sample.queue_wait_p50_us) &&
                            *sample.queue_wait_p50_us > sample.service_p50_us.value_or(0);
  x.allows_shrink = projected(u, x.n) <= options.down;
  if (u >= options.up && contended != reason::low_load)
    set(verdict::host_bound, contended);
  else if (u >= options.up && waits_longer)
    set(verdict::eval_bound, reason::workers_busy);
  else if (x.allows_shrink)
    set(verdict::idle, reason::low_load);
  else
    set(verdict::in_band, reason::between_thresholds);
}

} // namespace

reading classify_eval(const std::optional<eval_sample>& sample,
                      const std::optional<host_sample>& host, const scaler_options& options,
                      steady::time_point now) {
  reading result;
  const auto sample_fresh = sample && is_fresh(sample->at, now, options);
  const auto host_fresh = host && is_fresh(host->at, now, options);
  if (host) {
    result.idle_cores = host->idle_cores;
    result.memory_available = host->memory_available;
  }
  if (!sample_fresh || !usable(sample->busy) || !sample->queue || sample->workers == 0)
    result.missing.emplace_back("eval");
  if (!host_fresh)
    result.missing.emplace_back("host");
  if (sample)
    result.n = sample->workers;
  if (!result.missing.empty()) {
    result.why = (sample && !sample_fresh) || (host && !host_fresh) ? reason::samples_stale
                                                                    : reason::samples_missing;
    return result;
  }
  const auto u = std::min(*sample->busy / static_cast<double>(sample->workers), 1.0);
  result.u = result.u_max = result.u_min = u;
  result.accept_queue_peak = *sample->queue;
  result.run_delay = sample->run_delay;
  if (usable(sample->rate))
    result.rps = *sample->rate;
  judge_eval(result, *sample, *host, options);
  return result;
}

} // namespace caf_app::scaler
