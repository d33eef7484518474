#include "actors/scaler/eval_meter.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "actors/scaler/maybe_json.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

constexpr double ns_per_us = 1e3;
constexpr double us_per_second = 1e6;

double us_of(steady::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

std::optional<uint64_t> grown(uint64_t before, uint64_t now) {
  return now >= before ? std::optional{now - before} : std::nullopt;
}

eval_sums read(const json::object& x) {
  const auto count = [&](const char* key) { return x.at(key).to_number<uint64_t>(); };
  eval_sums result;
  result.workers = {count("workers"), count("starting"), count("unbound"), count("bound"),
                    count("busy")};
  result.queue = count("queue");
  result.queue_max = count("queue_max");
  result.compiling = count("compiling");
  result.calls = count("calls");
  result.rejected = count("rejected");
  result.busy_us = x.at("busy_us").to_number<double>();
  result.wait_p50_us = maybe_number<double>(x.at("wait_p50_us"));
  result.wait_p99_us = maybe_number<double>(x.at("wait_p99_us"));
  result.service_p50_us = maybe_number<double>(x.at("service_p50_us"));
  result.service_mean_us = maybe_number<double>(x.at("service_mean_us"));
  for (const auto& pid : x.at("pids").as_array())
    result.pids.push_back(pid.to_number<int>());
  return result;
}

// Busy workers over the mean time of a call: what is finished in a window of a fifth of a second is
// too few calls to tell a gain of a tenth, if each takes a while.
std::optional<double> rate_of(const eval_sample& sample, const eval_sums& now, double window_us) {
  if (!sample.busy || !sample.calls)
    return std::nullopt;
  if (now.service_mean_us && *now.service_mean_us > 0)
    return *sample.busy / *now.service_mean_us * us_per_second;
  return static_cast<double>(*sample.calls) / window_us * us_per_second;
}

/// How the processes that lived through the whole window were served by the host.
void add_times(eval_sample& sample, const eval_sums& before, const eval_sums& now,
               double window_us) {
  if (now.times.empty() && !now.pids.empty())
    return;
  double run_us = 0;
  double delay_us = 0;
  for (const auto& [pid, times] : now.times) {
    const auto found = before.times.find(pid);
    if (found == before.times.end())
      continue;
    run_us += static_cast<double>(grown(found->second.run_ns, times.run_ns).value_or(0));
    delay_us += static_cast<double>(grown(found->second.delay_ns, times.delay_ns).value_or(0));
  }
  run_us /= ns_per_us;
  delay_us /= ns_per_us;
  sample.cpu_cores = run_us / window_us;
  const auto busy_us = now.busy_us - before.busy_us;
  sample.run_delay = busy_us > 0 ? std::min(delay_us / busy_us, 1.0) : 0.0;
}

} // namespace

caf::expected<eval_sums> parse_load(std::string_view text) {
  try {
    return read(json::parse(json::string_view{text.data(), text.size()}).as_object());
  } catch (const std::exception& why) {
    return caf::make_error(errc::invalid_argument,
                           std::string{"no load of a dispatcher: "} + why.what());
  }
}

std::optional<eval_sample> eval_meter::sample(const eval_sums& now, steady::time_point at) {
  const auto before = std::exchange(before_, now);
  const auto before_at = std::exchange(before_at_, at);
  if (!before || at <= before_at)
    return std::nullopt;
  const auto window_us = us_of(at - before_at);
  eval_sample result;
  result.at = at;
  result.seq = ++seq_;
  result.workers = now.workers.max;
  result.queue = now.queue;
  result.queue_max = now.queue_max;
  result.compiling = now.compiling;
  result.calls = grown(before->calls, now.calls);
  result.rejected = grown(before->rejected, now.rejected);
  if (now.busy_us >= before->busy_us)
    result.busy = (now.busy_us - before->busy_us) / window_us;
  result.queue_wait_p50_us = now.wait_p50_us;
  result.queue_wait_p99_us = now.wait_p99_us;
  result.service_p50_us = now.service_p50_us;
  result.rate = rate_of(result, now, window_us);
  if (result.busy)
    add_times(result, *before, now, window_us);
  return result;
}

} // namespace caf_app::scaler
