// Repeated tries as a share of the requests of the last ten seconds, so that a failing upstream
// does not get more work for it. Some are always allowed, or a quiet upstream would have none.
// After Finagle's RetryBudget. Books of one loop; pure.
#pragma once

#include <array>
#include <cstdint>

#include "actors/http/upstream_limits.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::http {

/// Allows 100 retries in ten seconds and the share of that time's requests on top.
class retry_budget {
public:
  /// @param share 0 to 1; 0 allows no retry at all
  explicit retry_budget(double share) : share_(share) {}

  /// A request has come. @param now never runs backwards
  void request(steady::time_point now) { ++at(now).requests; }

  /// @returns whether there was a retry left, which is taken
  bool take(steady::time_point now);

private:
  struct second {
    int64_t number = -1;
    uint64_t requests = 0;
    uint64_t retries = 0;
  };

  second& at(steady::time_point now);

  double share_;
  std::array<second, limits::http::retry_seconds> seconds_; // a ring, by number
};

} // namespace caf_app::http
