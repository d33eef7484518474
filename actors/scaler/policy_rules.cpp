#include "actors/scaler/policy.hpp"

#include <algorithm>
#include <tuple>

namespace caf_app::scaler {

namespace {

/// Unhealthy first, then fewest in flight, fewest connections, the youngest. Never the node itself.
const instance_fact* victim_of(const std::vector<instance_fact>& instances) {
  const instance_fact* best = nullptr;
  const auto rank = [](const instance_fact& x) {
    return std::tuple{x.healthy, x.in_flight, x.connections, -x.started.time_since_epoch().count(),
                      -static_cast<int64_t>(x.number)};
  };
  for (const auto& x : instances)
    if (x.number != 1 && x.state == instance_state::ready && (!best || rank(x) < rank(*best)))
      best = &x;
  return best;
}

} // namespace

decision policy::choose(const tick& x, const counts& c) {
  const auto hold_because = [&](reason why) {
    auto result = hold(x, c, hold_rule::none);
    result.why = why;
    return result;
  };
  if (!x.owner)
    return hold(x, c, hold_rule::not_owner);
  if (x.events.steer_failed)
    return hold_because(reason::steer_failed); // it serves on; the next step may try again
  if (pin_ && *pin_ != c.counted())
    return toward(x, c, *pin_, reason::pinned);
  if (pin_)
    return hold_because(reason::pinned);
  if (c.counted() < options_.min_instances)
    return toward(x, c, options_.min_instances, reason::below_min);
  if (c.counted() > max_ && x.inputs.what != verdict::unknown)
    return toward(x, c, max_, reason::above_max);
  if (c.starting > 0)
    return hold(x, c, hold_rule::change_in_progress);
  if (is_panic(x.inputs))
    return grow(x, c, reason::panic, true);
  if (auto judged = judge(x, c))
    return *judged;
  if (asks_for_more(x.inputs.what))
    return wish_growth(x, c);
  switch (x.inputs.what) {
    case verdict::unknown: return hold(x, c, hold_rule::unknown);
    case verdict::host_bound: return hold(x, c, hold_rule::host_bound);
    case verdict::imbalance: {
      auto result = hold(x, c, hold_rule::none);
      result.what = action::rebalance;
      return result;
    }
    default: return wish_shrink(x, c);
  }
}

/// One step at a time, whatever the load.
decision policy::toward(const tick& x, const counts& c, size_t target, reason why) {
  if (c.starting > 0)
    return hold(x, c, hold_rule::change_in_progress);
  if (target > c.counted())
    return grow(x, c, why, false);
  if (c.draining > 0)
    return hold(x, c, hold_rule::draining);
  return shrink(x, c, why);
}

/// The gain of the last growth, once it can be told.
/// @returns a hold while it is waited for, the way back if it was too little
std::optional<decision> policy::judge(const tick& x, const counts& c) {
  if (!launched_ || !judging_)
    return std::nullopt;
  if (x.now < launched_->until)
    return hold(x, c, hold_rule::change_in_progress);
  if (x.inputs.what == verdict::unknown || rps_.size() < options_.gain_samples)
    return hold(x, c, hold_rule::unknown);
  const auto before = launched_->rps_before;
  launched_.reset();
  judging_ = false;
  if (x.inputs.u.value_or(0) < options_.up) { // the load fell, or is served: nothing to prove
    mixed_allowed_ = true;
    return std::nullopt;
  }
  if (mean_rps() >= before * (1 + options_.gain_min)) {
    mixed_allowed_ = true;
    return std::nullopt;
  }
  no_gain_until_[c.counted()] = x.now + options_.gain_memory;
  if (c.draining > 0 || c.counted() <= options_.min_instances)
    return std::nullopt;
  return shrink(x, c, reason::no_gain);
}

hold_rule policy::why_no_launch(const tick& x, const counts& c) const {
  if (c.counted() >= max_)
    return hold_rule::at_max;
  if (x.now < failed_until_)
    return hold_rule::failed_backoff;
  if (x.inputs.memory_available && *x.inputs.memory_available < options_.memory_min_bytes)
    return hold_rule::low_memory;
  return hold_rule::none;
}

/// With one step more.
size_t policy::next_count(const counts& c) const {
  const auto step = options_.growth_share > 0 ? c.counted() / options_.growth_share : 1;
  return std::min(c.counted() + std::max<size_t>(step, 1), max_);
}

/// Whether a count on the way there is known not to help.
bool policy::has_no_gain(const counts& c, time_point now) const {
  for (const auto& [count, until] : no_gain_until_)
    if (count > c.counted() && count <= next_count(c) && now < until)
      return true;
  return false;
}

decision policy::grow(const tick& x, const counts& c, reason why, bool panic) {
  if (const auto rule = why_no_launch(x, c); rule != hold_rule::none)
    return hold(x, c, rule);
  auto result = hold(x, c, hold_rule::none);
  result.what = action::grow;
  result.wanted = next_count(c);
  result.why = why;
  result.panic = panic;
  for (const auto& instance : x.instances)
    if (instance.state == instance_state::draining && instance.listens)
      result.victim = instance.name; // taken back: faster than a launch
  if (!result.victim.empty() && why != reason::pinned && why != reason::below_min)
    result.why = reason::drain_revoked;
  return result;
}

decision policy::wish_growth(const tick& x, const counts& c) {
  if (up_streak_ < options_.up_samples)
    return hold(x, c, hold_rule::up_samples);
  if (last_ready_ && x.now - *last_ready_ < options_.up_cooldown)
    return hold(x, c, hold_rule::up_cooldown);
  if (x.inputs.what == verdict::mixed && !mixed_allowed_)
    return hold(x, c, hold_rule::mixed_without_gain);
  if (has_no_gain(c, x.now))
    return hold(x, c, hold_rule::no_gain);
  return grow(x, c, x.inputs.why, false);
}

decision policy::wish_shrink(const tick& x, const counts& c) {
  if (!x.inputs.allows_shrink)
    return hold(x, c, hold_rule::none);
  if (c.counted() <= options_.min_instances)
    return hold(x, c, hold_rule::at_min);
  if (c.draining > 0)
    return hold(x, c, hold_rule::draining);
  if (in_panic(x.now))
    return hold(x, c, hold_rule::after_panic);
  if (x.now - quiet_since_ < quiet())
    return hold(x, c, hold_rule::quiet_window);
  if (x.now - last_change_ < options_.down_cooldown)
    return hold(x, c, hold_rule::down_cooldown);
  return shrink(x, c, x.inputs.why);
}

decision policy::shrink(const tick& x, const counts& c, reason why) {
  const auto* victim = victim_of(x.instances);
  if (!victim)
    return hold(x, c, hold_rule::at_min);
  auto result = hold(x, c, hold_rule::none);
  result.what = action::shrink;
  result.wanted = c.counted() - 1;
  result.victim = victim->name;
  result.why = why;
  return result;
}

decision policy::hold(const tick& x, const counts& c, hold_rule rule) const {
  decision result;
  result.from = result.wanted = c.counted();
  result.why = x.inputs.why;
  result.held_by = rule;
  result.inputs = x.inputs;
  return result;
}

} // namespace caf_app::scaler
