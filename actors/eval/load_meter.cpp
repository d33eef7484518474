#include "actors/eval/load_meter.hpp"

#include <algorithm>
#include <numeric>

namespace caf_app::eval {

namespace {

using duration = load_meter::duration;

/// The smallest value that a share of all does not exceed.
std::optional<duration> quantile(std::vector<duration>& values, double share) {
  if (values.empty())
    return std::nullopt;
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * last);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

} // namespace

void load_meter::note(std::deque<seen>& where, duration value, time_point now) {
  where.push_back({now, value});
  if (where.size() > calls_kept)
    where.pop_front();
}

void load_meter::busy(size_t workers, time_point now) {
  busy_sum_ += static_cast<duration::rep>(busy_) * (now - busy_since_);
  busy_ = workers;
  busy_since_ = now;
}

void load_meter::handed_over(duration waited, time_point now) { note(waits_, waited, now); }

void load_meter::finished(duration served, time_point now) {
  ++calls_;
  note(services_, served, now);
}

load_meter::load load_meter::look(std::vector<duration> waiting, time_point now) const {
  load result;
  result.calls = calls_;
  result.rejected = rejected_;
  result.busy = busy_sum_ + static_cast<duration::rep>(busy_) * (now - busy_since_);
  for (const auto& each : waits_)
    if (now - each.at <= span)
      waiting.push_back(each.value);
  result.wait_p50 = quantile(waiting, 0.5);
  result.wait_p99 = quantile(waiting, 0.99);
  std::vector<duration> services;
  for (auto i = services_.rbegin(); i != services_.rend(); ++i)
    if (services.size() < calls_min || now - i->at <= span)
      services.push_back(i->value);
  result.service_p50 = quantile(services, 0.5);
  if (!services.empty())
    result.service_mean = std::accumulate(services.begin(), services.end(), duration{}) /
                          static_cast<duration::rep>(services.size());
  return result;
}

} // namespace caf_app::eval
