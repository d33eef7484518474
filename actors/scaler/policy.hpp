// Decides, once per tick, whether one instance more or less would serve better. Pure: the same
// ticks give the same decisions, which is how a recorded log is replayed. Rules in the order in
// which they count:
//
//   pin > bounds > one change at a time > panic > growth, judged by its gain > shrink
//
// Steady   --grow--> starting --ready--> judged (not after panic) --> steady, or a shrink: no_gain
//          --shrink--> draining --gone--> steady
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/scaler/classifier.hpp"
#include "actors/scaler/decision.hpp"
#include "actors/scaler/scaler_options.hpp"

namespace caf_app::scaler {

/// What has happened since the tick before, as the actuator reports it.
struct happenings {
  bool start_failed = false;    ///< a newcomer did not get ready; it is gone
  bool instance_failed = false; ///< the launcher gave one up
  bool steer_failed = false;    ///< a victim could not leave its port, and serves on
};

/// An instance as the policy sees it.
struct instance_fact {
  std::string name;
  unsigned number = 1; ///< 1 is never a victim
  instance_state state = instance_state::ready;
  bool healthy = true;    ///< it sends samples
  bool listens = true;    ///< a draining one that has not left its port can be taken back
  uint64_t in_flight = 0; ///< requests
  uint64_t connections = 0;
  steady::time_point started; ///< launched

  bool operator==(const instance_fact&) const = default;
};

struct tick {
  steady::time_point now;
  reading inputs;
  std::vector<instance_fact> instances;
  happenings events;
  bool owner = true; ///< holds the name of its target
};

/// Decides for one target. One thread.
class policy {
public:
  /// @param now the start counts as a panic: nothing shrinks for a quiet window
  policy(const scaler_options& options, size_t max_instances, steady::time_point now);

  /// New options, from a reload; what is under way goes on. A pin beyond the new maximum becomes
  /// the maximum.
  void configure(const scaler_options& options, size_t max_instances);

  /// @param count 1 .. max, nothing: automatic again. @returns whether it is in range
  bool pin(std::optional<size_t> count);
  std::optional<size_t> pinned() const noexcept { return pin_; }

  /// @returns what to do; `applied` says whether it shall be done
  decision step(const tick& now);

  /// How many there shall be, after the last step.
  size_t wanted() const noexcept { return wanted_; }

  /// A panic was less than a quiet window ago: nothing shrinks.
  bool in_panic(steady::time_point now) const;

  /// Factor of the quiet window: 1, 2, 4 or 8.
  unsigned penalty() const noexcept { return flap_factor_; }

private:
  using time_point = steady::time_point;

  struct judging {
    time_point until; // when the gain can be told; only once the newcomer is ready
    double rps_before = 0;
  };

  struct counts {
    size_t ready = 0;
    size_t starting = 0;
    size_t draining = 0;

    size_t counted() const { return ready + starting; }
  };

  static counts count(const tick& x);
  bool note_clock(time_point now);
  void drop_windows(time_point now);
  void note_events(const tick& x, const counts& c);
  void note_reading(const tick& x);
  void note_ready(const tick& x, const counts& c);
  bool is_panic(const reading& x) const;
  bool asks_for_more(verdict what) const {
    return what == options_.grows_on || what == verdict::mixed;
  }
  size_t next_count(const counts& c) const;
  bool has_no_gain(const counts& c, time_point now) const;

  decision choose(const tick& x, const counts& c);
  decision toward(const tick& x, const counts& c, size_t target, reason why);
  std::optional<decision> judge(const tick& x, const counts& c);
  decision grow(const tick& x, const counts& c, reason why, bool panic);
  decision wish_growth(const tick& x, const counts& c);
  decision wish_shrink(const tick& x, const counts& c);
  decision shrink(const tick& x, const counts& c, reason why);
  decision hold(const tick& x, const counts& c, hold_rule rule) const;
  void commit(decision& d, const tick& x);
  double mean_rps() const;
  hold_rule why_no_launch(const tick& x, const counts& c) const;
  milliseconds quiet() const { return options_.quiet_window * flap_factor_; }

  scaler_options options_;
  size_t max_;
  size_t wanted_ = 0;
  std::optional<size_t> pin_;
  std::optional<time_point> last_;
  size_t up_streak_ = 0;
  time_point quiet_since_;
  time_point last_panic_;
  time_point last_change_;
  std::optional<time_point> last_ready_; // when the last newcomer got ready
  std::optional<time_point> last_shrink_;
  unsigned flap_factor_ = 1;
  time_point flap_checked_;
  std::deque<double> rps_;          // newest last
  std::optional<judging> launched_; // a growth whose gain will be judged
  bool judging_ = false;            // its newcomer is ready
  size_t starting_before_ = 0;
  bool mixed_allowed_ = true;
  std::map<size_t, time_point> no_gain_until_;
  time_point failed_until_;
  milliseconds failed_pause_;
};

} // namespace caf_app::scaler
