#include "caf_app/supervision/restart_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <caf/exit_reason.hpp>

#include "caf_app/base/assert.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app {

bool is_abnormal(const caf::error& reason) {
  return reason && reason != caf::exit_reason::user_shutdown;
}

restart_plan::restart_plan(restart_options options)
    : options_(options), window_(options.intensity, options.period), backoff_(options.backoff) {}

restart_plan::child_key restart_plan::add(restart_type restart, bool significant, time_point now) {
  CAF_APP_ASSERT(!closing_);
  child x;
  x.restart = restart;
  x.significant = significant;
  x.due = now;
  children_.emplace(++last_key_, x);
  return last_key_;
}

// -- what happened ----------------------------------------------------------------

void restart_plan::started(child_key key, time_point now) {
  const auto at = children_.find(key);
  if (at == children_.end() || at->second.state != child_state::starting)
    return;
  at->second.state = child_state::running;
  at->second.started_at = now;
}

void restart_plan::start_failed(child_key key, const caf::error& reason, time_point now) {
  const auto at = children_.find(key);
  if (at == children_.end() || at->second.state != child_state::starting)
    return;
  at->second.state = child_state::ended;
  if (at->second.restart != restart_type::temporary) {
    fail(at, reason, now);
    return;
  }
  const bool significant = at->second.significant;
  forget(at);
  check_significant(significant);
}

void restart_plan::ended(child_key key, const caf::error& reason, time_point now) {
  const auto at = children_.find(key);
  if (at == children_.end())
    return;
  auto& x = at->second;
  const bool was_told = x.state == child_state::stopping;
  if (!was_told && x.state != child_state::running)
    return;
  if (x.removed) {
    forget(at);
  } else if (x.goes_again) { // stopped with its group, or just in time by itself
    x.goes_again = false;
    --going_again_;
    x.state = child_state::waiting;
    x.due = group_due_;
    if (x.restart == restart_type::temporary)
      forget(at);
  } else if (was_told || closing_) {
    x.state = child_state::ended;
  } else {
    own_end(at, reason, now);
  }
}

void restart_plan::own_end(iterator at, const caf::error& reason, time_point now) {
  auto& x = at->second;
  const bool restart = x.restart == restart_type::permanent ||
                       (x.restart == restart_type::transient && is_abnormal(reason));
  if (restart) {
    fail(at, reason, now);
    return;
  }
  const bool significant = x.significant;
  x.state = child_state::ended;
  if (x.restart == restart_type::temporary)
    forget(at);
  check_significant(significant);
}

void restart_plan::fail(iterator at, const caf::error& reason, time_point now) {
  auto& x = at->second;
  if (!window_.admit(now)) {
    x.state = child_state::ended;
    shut_down(caf::make_error(errc::too_many_restarts,
                              "more than " + std::to_string(options_.intensity) + " in " +
                                  std::to_string(options_.period.count()) +
                                  " ms; last: " + describe(reason)));
    return;
  }
  if (x.state == child_state::running && now - x.started_at >= options_.stable_after)
    x.streak = 0;
  const auto due = now + backoff_.delay(x.streak++);
  x.state = child_state::waiting;
  x.due = due;
  if (options_.strategy != restart_strategy::one_for_one)
    restart_group(at, due);
}

void restart_plan::restart_group(iterator failed, time_point due) {
  group_due_ = due;
  auto at = options_.strategy == restart_strategy::one_for_all ? children_.begin() : failed;
  for (; at != children_.end(); ++at) {
    auto& x = at->second;
    switch (x.state) {
      case child_state::running:
        if (!x.removed && !x.goes_again) {
          x.goes_again = true;
          ++going_again_;
        }
        break;
      case child_state::waiting: x.due = std::max(x.due, due); break;
      case child_state::ended:
        x.state = child_state::waiting;
        x.due = due;
        break;
      case child_state::starting:
      case child_state::stopping: break;
    }
  }
}

void restart_plan::check_significant(bool was_significant) {
  if (!was_significant || closing_ || options_.shutdown_with == auto_shutdown::never)
    return;
  const bool others = std::any_of(children_.begin(), children_.end(), [](const auto& entry) {
    return entry.second.significant && entry.second.state != child_state::ended;
  });
  if (options_.shutdown_with == auto_shutdown::any_significant || !others)
    shut_down(caf::exit_reason::user_shutdown);
}

// -- what is wanted ---------------------------------------------------------------

void restart_plan::remove(child_key key) {
  const auto at = children_.find(key);
  if (at == children_.end() || at->second.removed)
    return;
  auto& x = at->second;
  if (x.state == child_state::waiting || x.state == child_state::ended) {
    forget(at);
    return;
  }
  if (std::exchange(x.goes_again, false))
    --going_again_;
  x.removed = true;
  if (x.state == child_state::running)
    ++to_remove_;
}

void restart_plan::forget(iterator at) {
  if (at->second.removed && at->second.state == child_state::running)
    --to_remove_;
  children_.erase(at);
}

void restart_plan::shut_down(caf::error reason) {
  if (closing_)
    return;
  closing_ = true;
  finish_reason_ = std::move(reason);
  going_again_ = 0;
  for (auto& [key, x] : children_) {
    x.goes_again = false;
    if (x.state == child_state::waiting)
      x.state = child_state::ended;
  }
}

// -- what to do -------------------------------------------------------------------

std::optional<restart_plan::action> restart_plan::next(time_point now) {
  if (finished_)
    return std::nullopt;
  if (to_remove_ > 0)
    return stop_removed();
  if (!closing_)
    return going_again_ > 0 ? stop_last(false) : start_first(now);
  if (auto stop = stop_last(true))
    return stop;
  const bool some_left = std::any_of(children_.begin(), children_.end(), [](const auto& entry) {
    return entry.second.state != child_state::ended;
  });
  if (some_left)
    return std::nullopt;
  finished_ = true;
  return action{action_kind::finish, 0, finish_reason_};
}

std::optional<restart_plan::action> restart_plan::stop_removed() {
  for (auto& [key, x] : children_) {
    if (!x.removed || x.state != child_state::running)
      continue;
    --to_remove_;
    x.state = child_state::stopping;
    return action{action_kind::stop, key, {}};
  }
  return std::nullopt;
}

std::optional<restart_plan::action> restart_plan::stop_last(bool all) {
  for (auto at = children_.rbegin(); at != children_.rend(); ++at) {
    auto& x = at->second;
    if (!all && !x.goes_again)
      continue;
    if (x.state == child_state::stopping)
      return std::nullopt; // one after the other
    if (x.state != child_state::running)
      continue;
    x.state = child_state::stopping;
    return action{action_kind::stop, at->first, {}};
  }
  return std::nullopt;
}

std::optional<restart_plan::action> restart_plan::start_first(time_point now) {
  for (auto& [key, x] : children_) {
    if (x.state != child_state::waiting)
      continue;
    if (x.due <= now) {
      if (std::exchange(x.was_started, true))
        ++x.restarts;
      x.state = child_state::starting;
      return action{action_kind::start, key, {}};
    }
    if (options_.strategy != restart_strategy::one_for_one)
      break; // those behind it may rely on it
  }
  return std::nullopt;
}

std::optional<restart_plan::time_point> restart_plan::wakeup() const {
  std::optional<time_point> result;
  if (closing_ || going_again_ > 0)
    return result;
  for (const auto& [key, x] : children_) {
    if (x.state != child_state::waiting)
      continue;
    if (!result || x.due < *result)
      result = x.due;
    if (options_.strategy != restart_strategy::one_for_one)
      break;
  }
  return result;
}

} // namespace caf_app
