#include "actors/http/retry_budget.hpp"

#include <algorithm>

namespace caf_app::http {

retry_budget::second& retry_budget::at(steady::time_point now) {
  using std::chrono::duration_cast;
  const auto number = duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  auto& place = seconds_[static_cast<size_t>(number) % seconds_.size()];
  if (place.number != number)
    place = {number, 0, 0};
  return place;
}

bool retry_budget::take(steady::time_point now) {
  if (share_ <= 0)
    return false;
  auto& here = at(now);
  const auto window = static_cast<int64_t>(seconds_.size());
  uint64_t requests = 0;
  uint64_t retries = 0;
  for (const auto& each : seconds_)
    if (each.number > here.number - window) {
      requests += each.requests;
      retries += each.retries;
    }
  constexpr uint64_t at_least = limits::http::retry_seconds * limits::http::retries_per_second_min;
  const auto allowed = at_least + static_cast<uint64_t>(share_ * static_cast<double>(requests));
  if (retries >= allowed)
    return false;
  ++here.retries;
  return true;
}

} // namespace caf_app::http
