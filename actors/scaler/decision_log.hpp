// The decisions as people and tools read them: a JSON line for each action, each change of verdict
// or reason, and one from time to time when nothing changes. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "actors/scaler/decision.hpp"
#include "actors/scaler/scaler_options.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::scaler {

/// One target. One thread.
class decision_log {
public:
  static constexpr size_t lines_max = 1'000; ///< kept; older ones are in the file only

  /// @param target for example "web/edge-1"
  /// @param period after which a line is due although nothing has changed
  decision_log(std::string target, milliseconds period)
      : target_(std::move(target)), period_(period) {}

  /// @param at time of day
  /// @returns the line, without line feed, if this decision is worth one
  std::optional<std::string> note(const decision& made, steady::time_point now,
                                  wall::time_point at);

  /// The last ones, oldest first.
  const std::deque<std::string>& lines() const noexcept { return lines_; }

private:
  bool is_news(const decision& made, steady::time_point now) const;

  std::string target_;
  milliseconds period_;
  std::deque<std::string> lines_;
  std::optional<decision> last_;
  steady::time_point last_at_;
  uint64_t seq_ = 0;
};

} // namespace caf_app::scaler
