// Moves load to instances that have none: connections stay where they were accepted, so growth
// alone moves nothing. In a round, full instances let a share of their connections end, a few at a
// time, and new ones go to the emptiest instance. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "actors/scaler/classifier.hpp"
#include "actors/scaler/scaler_options.hpp"

namespace caf_app::scaler {

/// One node. One thread.
class rebalancer {
public:
  static constexpr size_t rounds_per_minute = 3;   ///< on imbalance; each newcomer adds one
  static constexpr double share_per_second = 0.25; ///< of an instance's connections

  /// What to do now.
  struct orders {
    std::map<std::string, size_t> nudges; ///< connections that shall end, by instance
    std::string attract;                  ///< steer new ones here; empty: nobody
  };

  explicit rebalancer(const scaler_options& options) : options_(options) {}

  void set_options(const scaler_options& options) { options_ = options; }

  /// @param wanted the policy said so
  orders step(const std::vector<instance_view>& instances, bool wanted, steady::time_point now);

private:
  struct donor {
    double left = 0;   // connections still to be moved in this round
    double credit = 0; // what may be nudged now
    double rate = 0;   // per second
  };

  bool begin(const std::vector<instance_view>& ready, bool newcomer, steady::time_point now,
             orders& out);

  scaler_options options_;
  std::map<std::string, std::string> known_; // incarnations of ready instances
  std::map<std::string, donor> donors_;
  steady::time_point round_end_;
  steady::time_point last_;
  std::deque<steady::time_point> rounds_;
};

} // namespace caf_app::scaler
