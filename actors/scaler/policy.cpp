#include "actors/scaler/policy.hpp"

#include <algorithm>
#include <numeric>

namespace caf_app::scaler {

policy::policy(const scaler_options& options, size_t max_instances, steady::time_point now)
    : options_(options), max_(max_instances), quiet_since_(now), last_panic_(now),
      last_change_(now - options.down_cooldown), flap_checked_(now), failed_until_(now),
      failed_pause_(options.failed_backoff) {}

void policy::configure(const scaler_options& options, size_t max_instances) {
  options_ = options;
  max_ = max_instances;
  failed_pause_ = std::max(options.failed_backoff, milliseconds{0});
  if (pin_)
    pin_ = std::min(*pin_, max_);
}

bool policy::pin(std::optional<size_t> count) {
  if (count && (*count < 1 || *count > max_))
    return false;
  pin_ = count;
  return true;
}

bool policy::in_panic(time_point now) const { return now - last_panic_ < quiet(); }

policy::counts policy::count(const tick& x) {
  counts result;
  for (const auto& instance : x.instances)
    switch (instance.state) {
      case instance_state::ready: ++result.ready; break;
      case instance_state::starting: ++result.starting; break;
      case instance_state::draining: ++result.draining; break;
    }
  return result;
}

/// @returns false if the clock jumped
bool policy::note_clock(time_point now) {
  const auto before = last_;
  last_ = now;
  return !before || (now >= *before && now - *before <= options_.period * options_.jump_periods);
}

void policy::drop_windows(time_point now) {
  up_streak_ = 0;
  rps_.clear();
  quiet_since_ = now;
  // Times of the old clock must neither block for ever nor let through too early.
  last_panic_ = now;
  last_change_ = now;
  flap_checked_ = now;
  last_shrink_.reset();
  if (last_ready_)
    last_ready_ = now;
  if (launched_ && judging_)
    launched_->until = now + options_.warmup + options_.rebalance_window;
  failed_until_ = std::min(failed_until_, now + failed_pause_);
  for (auto& [count, until] : no_gain_until_)
    until = std::min(until, now + options_.gain_memory);
}

void policy::note_events(const tick& x, const counts& c) {
  const auto& events = x.events;
  if (events.start_failed || events.instance_failed) {
    failed_until_ = x.now + failed_pause_;
    failed_pause_ =
        std::min(2 * std::max(failed_pause_, options_.failed_backoff), options_.failed_backoff_max);
    launched_.reset();
    judging_ = false;
    up_streak_ = 0;
  }
  if (events.steer_failed)
    quiet_since_ = x.now;
  wanted_ = std::max<size_t>(c.counted(), 1);
}

void policy::note_ready(const tick& x, const counts& c) {
  if (starting_before_ > 0 && c.starting == 0 && !x.events.start_failed) {
    last_ready_ = x.now;
    failed_pause_ = options_.failed_backoff;
    up_streak_ = 0; // what was measured before it helped says nothing
    if (launched_ && !judging_) {
      judging_ = true;
      launched_->until = x.now + options_.warmup + options_.rebalance_window;
    }
  }
  starting_before_ = c.starting;
}

bool policy::is_panic(const reading& x) const {
  const auto others = x.what == verdict::eval_bound || x.what == verdict::upstream_bound ||
                      x.what == verdict::slow_upstream;
  return (!others || x.what == options_.grows_on) && x.u_max && *x.u_max >= options_.panic_busy &&
         (x.accept_queue_peak >= options_.panic_queue ||
          x.lag_us >= std::chrono::duration<double, std::micro>(options_.panic_lag).count());
}

void policy::note_reading(const tick& x) {
  const auto& in = x.inputs;
  if (asks_for_more(in.what))
    ++up_streak_;
  else
    up_streak_ = 0;
  if (in.what != verdict::unknown) {
    rps_.push_back(in.rps);
    if (rps_.size() > options_.gain_samples)
      rps_.pop_front();
  }
  if (is_panic(in)) {
    last_panic_ = x.now;
    launched_.reset(); // panic ends judging
    judging_ = false;
  }
  if (!in.allows_shrink)
    quiet_since_ = x.now;
  if (x.now - flap_checked_ >= options_.flap_memory) {
    flap_factor_ = std::max(flap_factor_ / 2, 1U);
    flap_checked_ = x.now;
  }
}

decision policy::step(const tick& x) {
  const auto c = count(x);
  if (!note_clock(x.now)) {
    drop_windows(x.now);
    starting_before_ = c.starting;
    auto jumped = x;
    jumped.inputs.what = verdict::unknown;
    jumped.inputs.why = reason::clock_jump;
    jumped.inputs.allows_shrink = false;
    note_events(x, c);
    return hold(jumped, c, hold_rule::unknown);
  }
  note_events(x, c);
  note_ready(x, c);
  note_reading(x);
  auto result = choose(x, c);
  commit(result, x);
  return result;
}

/// Remembers what will be done. In a dry run nothing will.
void policy::commit(decision& d, const tick& x) {
  if (d.what == action::hold)
    return;
  if (options_.dry_run) {
    up_streak_ = 0;
    if (d.what == action::shrink)
      quiet_since_ = x.now;
    return;
  }
  d.applied = true;
  if (d.what == action::rebalance)
    return;
  wanted_ = d.wanted;
  last_change_ = x.now;
  quiet_since_ = x.now;
  up_streak_ = 0;
  launched_.reset();
  judging_ = false;
  if (d.what == action::shrink) {
    last_shrink_ = x.now;
    return;
  }
  const auto by_load = !d.panic && d.why != reason::pinned && d.why != reason::below_min;
  if (by_load && d.victim.empty()) {
    launched_ = judging{x.now, mean_rps()};
    mixed_allowed_ = x.inputs.what != verdict::mixed;
  }
  if (d.why != reason::pinned && last_shrink_ && x.now - *last_shrink_ <= options_.flap_span) {
    flap_factor_ = std::min(2 * flap_factor_, options_.flap_factor_max);
    flap_checked_ = x.now;
    last_shrink_.reset();
  }
}

double policy::mean_rps() const {
  return rps_.empty()
             ? 0
             : std::accumulate(rps_.begin(), rps_.end(), 0.0) / static_cast<double>(rps_.size());
}

} // namespace caf_app::scaler
