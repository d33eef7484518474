#include "actors/scaler/rebalancer.hpp"

#include <algorithm>

namespace caf_app::scaler {

namespace {

double busiest_loop(const web_sample& sample) {
  double result = 0;
  for (const auto& busy : sample.loop_busy)
    result = std::max(result, busy.value_or(0));
  return result;
}

} // namespace

rebalancer::orders rebalancer::step(const std::vector<instance_view>& instances, bool wanted,
                                    steady::time_point now) {
  orders result;
  std::vector<instance_view> ready;
  std::map<std::string, std::string> seen;
  for (const auto& x : instances)
    if (x.state == instance_state::ready && x.sample) {
      ready.push_back(x);
      seen[x.name] = x.incarnation;
    }
  const auto newcomer = !known_.empty() && std::any_of(seen.begin(), seen.end(), [&](auto& x) {
    const auto found = known_.find(x.first);
    return found == known_.end() || found->second != x.second;
  });
  known_ = std::move(seen);
  const auto passed =
      std::chrono::duration<double>(std::max(now - last_, steady::duration::zero()));
  last_ = now;
  while (!rounds_.empty() && (now - rounds_.front() >= minutes{1} || now < rounds_.front()))
    rounds_.pop_front();
  if (newcomer || (wanted && now >= round_end_ && rounds_.size() < rounds_per_minute))
    begin(ready, newcomer, now, result);
  for (auto& [name, donor] : donors_) {
    donor.credit += donor.rate * std::min(passed.count(), 1.0);
    const auto count = static_cast<size_t>(std::min(donor.credit, donor.left));
    if (count == 0)
      continue;
    result.nudges[name] = count;
    donor.credit -= static_cast<double>(count);
    donor.left -= static_cast<double>(count);
  }
  return result;
}

bool rebalancer::begin(const std::vector<instance_view>& ready, bool newcomer,
                       steady::time_point now, orders& out) {
  donors_.clear();
  if (ready.size() < 2)
    return false;
  const auto emptiest = std::min_element(ready.begin(), ready.end(), [](auto& a, auto& b) {
    return a.sample->connections.value_or(0) < b.sample->connections.value_or(0);
  });
  for (const auto& x : ready) {
    const auto connections = static_cast<double>(x.sample->connections.value_or(0));
    if (&x == &*emptiest || connections < 2 || busiest_loop(*x.sample) < options_.up)
      continue;
    donor each;
    each.left = connections / static_cast<double>(ready.size());
    each.rate = std::max(connections * share_per_second, 1.0);
    each.credit = 1; // one goes at once
    donors_[x.name] = each;
  }
  if (donors_.empty())
    return false;
  out.attract = emptiest->name;
  round_end_ = now + std::max<steady::duration>(options_.rebalance_window, seconds{4});
  if (!newcomer)
    rounds_.push_back(now);
  return true;
}

} // namespace caf_app::scaler
