#include "actors/http/upstream_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace caf_app::http {

namespace {

constexpr double weight_min = 0.05; // at the begin of a slow start

// FNV-1a, then a finaliser: cheap, and the same on every instance.
uint64_t hash_of(std::string_view key, uint64_t server) {
  uint64_t h = 0xcbf29ce484222325 ^ (server * 0x9e3779b97f4a7c15);
  for (const auto c : key)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

} // namespace

upstream_balancer::upstream_balancer(const upstream_rules& rules,
                                     const std::vector<upstream_server_rule>& servers)
    : rules_(rules) {
  for (const auto& rule : servers)
    states_.emplace_back().rule = rule;
}

bool upstream_balancer::usable(const state& which, steady::time_point now) const {
  return !which.down && now >= which.out_until && which.active < rules_.max_conns;
}

bool upstream_balancer::is_dead(steady::time_point now) const {
  return std::all_of(states_.begin(), states_.end(),
                     [&](const state& each) { return each.down || now < each.out_until; });
}

double upstream_balancer::weight(const state& which, steady::time_point now) const {
  const auto full = static_cast<double>(which.rule.weight);
  if (rules_.slow_start <= steady::duration::zero() || !which.back_since)
    return full;
  const auto since = now - *which.back_since;
  if (since >= rules_.slow_start)
    return full;
  return full * std::max(weight_min, to_seconds(since) / to_seconds(rules_.slow_start));
}

std::optional<size_t> upstream_balancer::pick(steady::time_point now, std::string_view key,
                                              const server_set& tried) {
  for (const auto backup : {false, true}) {
    from_.clear();
    for (size_t i = 0; i < states_.size(); ++i)
      if (states_[i].rule.backup == backup && usable(states_[i], now) &&
          (i >= tried.size() || !tried[i]))
        from_.push_back(i);
    if (from_.empty())
      continue;
    const auto chosen = from_.size() == 1 ? from_.front() : choose(now, key);
    ++states_[chosen].active;
    return chosen;
  }
  return std::nullopt;
}

size_t upstream_balancer::choose(steady::time_point now, std::string_view key) {
  switch (rules_.balance) {
    case balance_kind::least_conn: return least_busy(now);
    case balance_kind::round_robin: return next_in_turn(now);
    case balance_kind::hash_ip:
    case balance_kind::hash_path: break;
  }
  return owner_of(key, now);
}

// Equal ones take turns.
size_t upstream_balancer::least_busy(steady::time_point now) {
  auto best = from_.front();
  auto load = std::numeric_limits<double>::infinity();
  for (size_t n = 0; n < from_.size(); ++n) {
    const auto i = from_[(turn_ + n) % from_.size()];
    const auto mine = static_cast<double>(states_[i].active + 1) / weight(states_[i], now);
    if (mine < load) {
      load = mine;
      best = i;
    }
  }
  ++turn_;
  return best;
}

size_t upstream_balancer::next_in_turn(steady::time_point now) {
  auto best = from_.front();
  double total = 0;
  for (const auto i : from_) {
    const auto share = weight(states_[i], now);
    total += share;
    states_[i].round += share;
    if (states_[i].round > states_[best].round)
      best = i;
  }
  states_[best].round -= total;
  return best;
}

size_t upstream_balancer::owner_of(std::string_view key, steady::time_point now) const {
  auto best = from_.front();
  auto highest = -std::numeric_limits<double>::infinity();
  for (const auto i : from_) {
    const auto unit = (static_cast<double>(hash_of(key, i) >> 11) + 0.5) / 0x1p53;
    const auto score = -weight(states_[i], now) / std::log(unit);
    if (score > highest) {
      highest = score;
      best = i;
    }
  }
  return best;
}

void upstream_balancer::done(size_t server, server_verdict verdict, steady::time_point now) {
  auto& which = states_[server];
  if (which.active > 0)
    --which.active;
  switch (verdict) {
    case server_verdict::good: which.fails.clear(); return;
    case server_verdict::bad: fail(which, now); return;
    case server_verdict::unknown: return;
  }
}

void upstream_balancer::fail(state& which, steady::time_point now) {
  if (rules_.eject_fails == 0 || now < which.out_until)
    return;
  which.fails.push_back(now);
  while (now - which.fails.front() > rules_.eject_window)
    which.fails.pop_front();
  if (which.fails.size() < rules_.eject_fails)
    return;
  which.fails.clear();
  const auto out = std::count_if(states_.begin(), states_.end(),
                                 [&](const state& each) { return now < each.out_until; });
  if (static_cast<double>(out + 1) > rules_.eject_max * static_cast<double>(states_.size()))
    return; // the rest could not carry the load
  which.out_until = now + rules_.eject_time;
  which.back_since = which.out_until;
}

void upstream_balancer::set_health(size_t server, server_health health, steady::time_point now) {
  auto& which = states_[server];
  const auto down = health == server_health::down;
  if (which.down && !down) {
    which.back_since = now;
    which.fails.clear();
  }
  which.down = down;
}

} // namespace caf_app::http
