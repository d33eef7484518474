// How full the evaluators of the cluster are: told by those who scale them, asked by those who
// scale web instances. Any thread, no locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

/// A place for each evaluator, written by one scaler each.
class eval_pressure {
public:
  explicit eval_pressure(size_t evaluators) : places_(evaluators) {}

  /// @param evaluator 0 .. evaluators - 1
  void note(size_t evaluator, const eval_load& load, steady::time_point now) {
    auto& place = places_[evaluator];
    place.queue = load.queue;
    place.at_max = load.at_max;
    place.at_ns = now.time_since_epoch().count();
  }

  /// @returns the sum over those that were told of within `stale_after`; nothing without any.
  ///   `at_max` if there is room for more workers nowhere where calls wait
  std::optional<eval_load> look(steady::time_point now, steady::duration stale_after) const {
    std::optional<eval_load> result;
    bool room = false; // somewhere where calls wait
    for (const auto& place : places_) {
      const auto age = now.time_since_epoch().count() - place.at_ns.load();
      if (place.at_ns.load() == 0 || age < 0 || age > stale_after.count())
        continue;
      if (!result)
        result = eval_load{};
      result->queue += place.queue;
      room = room || (place.queue > 0 && !place.at_max);
    }
    if (result)
      result->at_max = result->queue > 0 && !room;
    return result;
  }

private:
  struct place {
    std::atomic<uint64_t> queue{0};
    std::atomic<bool> at_max{false};
    std::atomic<int64_t> at_ns{0}; // 0: never told
  };

  std::vector<place> places_;
};

} // namespace caf_app::scaler
